"""Spanish stereotypes, with the ideas of DETESTS' participants as switches."""
