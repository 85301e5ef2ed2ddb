"""Files of Parameters."""
