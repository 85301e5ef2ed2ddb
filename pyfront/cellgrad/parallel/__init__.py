"""Several devices; this version runs on one."""
