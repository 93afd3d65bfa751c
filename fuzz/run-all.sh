#!/usr/bin/env bash
# Runs fuzz targets one after the other on one core, and prints one line for each.
#
#   run-all.sh [SECONDS [TARGET...]]        60 seconds for every target when left out
#
# A law that is found broken is kept as an artifact, then left out (HITSCAN_FUZZ_SKIP) so that the rest of the time goes
# into the others. artifacts/TARGET has the inputs that break it, logs/TARGET the output.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
seconds=${1:-60}
shift || true
all=(query3_f32 query3_f64 query2 mesh saved saved_scene scene instances edits sweeps distances overlaps scene_toml mesh_obj mesh_stl mesh_ply mesh_off mesh_gltf rays_csv rays_jsonl rays_parquet_arrow)
if [ $# -gt 0 ]; then all=("$@"); fi
toolchain=${HITSCAN_FUZZ_TOOLCHAIN:-nightly}
# The library has no unsafe code, and how much memory a file may use is a law of its own: without a sanitizer there are
# more runs. `HITSCAN_FUZZ_SANITIZER=address` looks at what the decoders of other crates do.
sanitizer=${HITSCAN_FUZZ_SANITIZER:-none}
# Comparisons are traced for the sake of magic numbers; dictionaries know those, and exact arithmetic would be a third slower.
cargo "+$toolchain" fuzz build --sanitizer "$sanitizer" --no-trace-compares
host=$(rustc "+$toolchain" -vV | sed -n 's/^host: //p')
programs=${CARGO_TARGET_DIR:-target}/$host/release

longest() { case $1 in query*) echo 160 ;; mesh) echo 400 ;; scene | instances | edits | sweeps | distances | overlaps) echo 700 ;; *) echo 4096 ;; esac; }

status=0
for target in "${all[@]}"; do
    mkdir -p "corpus/$target" "artifacts/$target" "cases/$target" logs
    log=logs/$target
    : >"$log"
    options=(-rss_limit_mb=2048 -malloc_limit_mb=512 -timeout=20 -print_final_stats=1 -max_len="$(longest "$target")")
    # Inputs to begin with: what was found before, the seeds of formats, and cases of other programs.
    inputs=("corpus/$target" "cases/$target")
    if [ -d "seeds/$target" ]; then inputs+=("seeds/$target"); fi
    if [ -f "dictionaries/$target" ]; then options+=(-dict="dictionaries/$target"); fi
    skip=${HITSCAN_FUZZ_SKIP:-}
    end=$((SECONDS + seconds)) found=0 restarts=0 executions=0 laws=()
    while [ $((end - SECONDS)) -gt 0 ] && [ "$restarts" -lt 20 ]; do
        part=$(mktemp)
        HITSCAN_FUZZ_SKIP=$skip RUST_BACKTRACE=0 "$programs/$target" \
            "${options[@]}" -artifact_prefix="artifacts/$target/" -max_total_time=$((end - SECONDS)) \
            "${inputs[@]}" >"$part" 2>&1 && code=0 || code=$?
        cat "$part" >>"$log"
        units=$(sed -n 's/^stat::number_of_executed_units: *//p' "$part" | tail -1)
        executions=$((executions + ${units:-0}))
        law=$(sed -n 's/^law broken: //p' "$part" | tail -1)
        other=$(grep -A1 -E "panicked at|ERROR: libFuzzer: (out-of-memory|timeout)" "$part" | tail -2 | tr '\n' ' ') || true
        rm -f "$part"
        if [ "$code" -eq 0 ]; then break; fi
        restarts=$((restarts + 1)) found=$((found + 1)) status=1
        laws+=("${law:-$other}")
        if [ -n "$law" ]; then skip="${skip:+$skip,}$law"; fi
    done
    used=$((seconds - (end - SECONDS)))
    printf '%-20s %10d executions, %6d/s, %d findings%s\n' \
        "$target" "$executions" $((executions / (used > 0 ? used : 1))) "$found" \
        "$(printf '; %s' ${laws[@]+"${laws[@]}"} | sed 's/^; $//')"
done
exit $status
