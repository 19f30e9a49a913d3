#!/usr/bin/env bash
# Makes the corpora that fuzzing starts from, beside those that it found itself. Corpora are not kept in the repository.
#   fuzz/seed.sh [DIRECTORY...]     files below 64 KiB in the directories are seeds, too
set -euo pipefail
cd "$(dirname "$0")"
json=corpus/json containers=corpus/containers protobuf=corpus/protobuf
outputs=(csv markdown tables torch paddle visualdl fluid)
mkdir -p "$json" "$containers" "$protobuf" corpus/model corpus/screen "${outputs[@]/#/corpus/}"

# A file under a name of its content, so that a second run changes nothing.
put() { # FOLDER, content on stdin
    local part
    part=$(mktemp)
    cat >"$part"
    mv "$part" "$1/seed-$(sha1sum "$part" | cut -c1-16)"
}

# The head of each demo trace: whole events, cut where they may be.
for trace in ../demo-traces/*.json.gz; do
    for bytes in 3000 20000 60000; do
        # head closes the pipe early; that is no failure.
        { gzip -dc "$trace" 2>/dev/null || true; } | head -c "$bytes" | put "$json"
    done
    { gzip -dc "$trace" 2>/dev/null || true; } | head -c 8000 | gzip -n | put "$containers"
done

for folder in "$@"; do
    while IFS= read -r -d '' file; do
        put "$json" <"$file"
        case "$file" in
            *.pb) head -c 4000 "$file" | put "$protobuf" ;;
            *.gz | *.zst | *.zstd) put "$containers" <"$file" ;;
        esac
        case $(head -c 4 "$file" | od -An -tx1 | tr -d ' ') in
            1f8b* | 28b52ffd) put "$containers" <"$file" ;;
        esac
    done < <(find "$folder" -type f -size -64k -print0)
done

# By hand: every phase, the shapes of the producers, damage between and inside events.
while IFS= read -r line; do
    printf '%b' "$line" | put "$json"
    printf '%b' "$line" | gzip -n | put "$containers"
    { printf '%b' "$line" | head -c 40 | gzip -n; printf '%b' "$line" | tail -c +41 | gzip -n; } | put "$containers"
    if command -v zstd >/dev/null; then
        printf '%b' "$line" | zstd -q -c | put "$containers"
        { printf '%b' "$line" | head -c 40 | zstd -q -c; printf '%b' "$line" | tail -c +41 | zstd -q -c; } | put "$containers"
    fi
done <<'SEEDS'
[]
{"traceEvents":[]}
[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1},{"ph":"X","name":"b","ts":1.5,"dur":1,"pid":1,"tid":1}]
[{"ph":"B","name":"a","ts":1,"pid":1,"tid":1},{"ph":"E","ts":3,"pid":1,"tid":1},{"ph":"E","ts":4,"pid":1,"tid":1}]
[{"ph":"b","cat":"c","id":1,"name":"a","ts":1,"pid":1},{"ph":"n","cat":"c","id":1,"name":"a","ts":2,"pid":1},{"ph":"e","cat":"c","id":1,"name":"a","ts":3,"pid":1}]
[{"ph":"s","id":1,"pid":1,"tid":1,"ts":1,"cat":"c","name":"f"},{"ph":"f","bp":"e","id":1,"pid":1,"tid":2,"ts":2,"cat":"c","name":"f"}]
[{"ph":"C","name":"m","ts":1,"pid":1,"args":{"value":5}},{"ph":"i","name":"[memory]","ts":2,"args":{"Bytes":5,"Device Type":1,"Device Id":0}}]
{"schemaVersion":"1.0.2","traceEvents":[{"name":"op[1.0 us]","pid":1,"tid":"1(C++)","ts":1,"dur":1,"ph":"X","cat":"Operator","args":{"start_time":"1.5 us"}}]}
[{"ph":"X","name":"a","ts":1,"dur":2},\n{"ph":"X","name":"b","ts":"1","dur":NaN},\n{"ph":"X" "name"},\n{"ph":"X","name":"c","ts":9,"dur":1}\n]
{"ph":"X","name":"a","ts":1,"dur":2}\n{"ph":"X","name":"b","ts":3,"dur":2}\n
{"a":[1,{"b":null}],"traceEvents":[{"ph":"X","ts":1,"name":"\\ud800","args":{"correlation":1}}],"z":
SEEDS

# One of each of Paddle's messages: a step, an operator with shapes and memory, its kernel and a copy; whole, and cut.
base64 -d <<'SEED' >"$protobuf/part"
CgUxLjAuMhAAGrgDCAcSLQgAEP///////////wEaHgoJcm9vdCBub2RlEAcYACD///////////8BKCowBxIhCAEQABobCg1Qcm9maWxlU3RlcCMxEAIY
6Acg+FUoKjAHEhsIAhABGhUKB2ZvcndhcmQQCRjQDyDwLigqMAcSpAEIAxACGhwKDm1hdG11bCBkeWdyYXBoEAAYuBcg/CooKjAHKiQKIgicGBAAGEAg
KigHMIAgOgxQbGFjZShncHU6MClAgCBIgEAqJgokCIAZEAEYQCAqKAcwgOD/////////AToMUGxhY2UoZ3B1OjApMjIKMAi4FxIGbWF0bXVsKgsKAXgS
BgoECAIIAzIOCgF4EgkKB2Zsb2F0MzI6BmEucHk6MxKdAQgEEAMaIgoUbWF0bXVsIGtlcm5lbCBsYXVuY2gQDxigHyCIJygqMAcicwoeChBjdWRhTGF1
bmNoS2VybmVsEIQgGOggICooBzAJEikKJwoEZ2VtbRAEGIgnIPAuKAAwATgHQAlKDwggIAh9AAAAP40BAACAPhImCiQKC01FTUNQWV9IdG9EEAUY8C4g
5DI4B0AJUgkIgCASBEh0b0QiDwoBNxIKTWFpblRocmVhZCIeChdQcm9jZXNzIENwdSBVdGlsaXphdGlvbhIDMS41KhMIABIEQTEwMBiAgICAgAIgCGhs
SEED
put "$protobuf" <"$protobuf/part"
head -c 300 "$protobuf/part" | put "$protobuf"
rm "$protobuf/part"

# Arbitrary cases are made from arbitrary bytes.
for i in $(seq 1 24); do
    for folder in corpus/model corpus/screen "$containers" "$protobuf"; do
        { seq "$i" "$((i * 7))" 9000 | gzip -n | tail -c +64 || true; } | head -c "$((i * 40))" | put "$folder"
    done
done

# Outputs: three bytes of options, then the text of a trace, or, where the first is odd, an arbitrary one.
for output in "${outputs[@]}"; do
    for seed in "$json"/seed-*; do
        [ "$(wc -c <"$seed")" -gt 8000 ] || { printf '@7c'; cat "$seed"; } | put "corpus/$output"
    done
    for i in $(seq 1 24); do
        { printf 'a%03d' "$i"; seq "$i" "$((i * 7))" 9000 | gzip -n | tail -c +64 || true; } | head -c "$((i * 60))" |
            put "corpus/$output"
    done
done
find corpus -maxdepth 1 -mindepth 1 -type d -exec sh -c 'printf "%s: %s seeds\n" "$1" "$(find "$1" -type f | wc -l)"' _ {} \;
