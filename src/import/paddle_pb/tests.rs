//! Files written here and read back.
