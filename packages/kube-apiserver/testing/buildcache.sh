# Sourced by the scripts that build programs into a cache. The commands for hashes and locks differ between systems:
# macOS has no sha256sum and no flock, small Linux images have no shasum and no perl.

sha256() { # prints the SHA-256 of standard input in hex
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c1-64
}

lock() { # lock FILE: waits until no other process holds the lock; the system releases it when this script ends, however it ends
  exec 9>"$1"
  if command -v flock >/dev/null; then
    flock 9
  else
    perl -e 'use Fcntl ":flock"; open(FILE, ">&=", 9) && flock(FILE, LOCK_EX) or die "cannot lock: $!\n"'
  fi
}
