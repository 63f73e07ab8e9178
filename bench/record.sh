#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Verify and time every device with a built `clsoftmax`, and keep what it prints:
#   bench/record.sh COMMAND FOLDER [DEVICE...]
# writes FOLDER/devices.txt and, for each device (default: all), verify, bench and compare
# for f32 and bf16, as text and JSON.
set -euo pipefail
if [ $# -lt 2 ]; then
    sed -n '3,6s/^# //p' "$0" >&2
    exit 2
fi
command=$1 folder=$2
shift 2
mkdir -p "$folder"
"$command" devices --json "$folder/devices.json" | tee "$folder/devices.txt"
if [ $# -eq 0 ]; then
    # one that does not answer is not listed: indices may have gaps
    mapfile -t devices < <(sed -nE 's/.*"index":[[:space:]]*([0-9]+).*/\1/p' "$folder/devices.json")
    set -- "${devices[@]}"
fi
failed=0
for device in "$@"; do
    keep() { # NAME ARGS...: run, keep text and JSON
        local name=$1
        shift
        "$command" "$@" --device "$device" --json "$folder/$name-$device.json" \
            > "$folder/$name-$device.txt" 2>&1 || failed=1
        echo "== $name, device $device"
        tail -n 3 "$folder/$name-$device.txt"
    }
    keep verify verify
    for type in f32 bf16; do
        keep "bench-$type" bench --type "$type"
        keep "compare-$type" compare --type "$type"
    done
done
exit "$failed"
