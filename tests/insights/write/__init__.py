"""Writers of the formats in which profilers export their traces."""
