"""Parts of names whose values are secrets: `key` is part of `api_key`, too. `src/capture/secrets.rs` reads this very file."""

NAMES = (
    "auth",
    "bearer",
    "cookie",
    "credential",
    "key",
    "passphrase",
    "passw",
    "private",
    "pwd",
    "secret",
    "session",
    "token",
)
