"""Settings of processors, under the name that scripts import from."""
