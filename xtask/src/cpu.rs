//! The processor time of the commands that ran so far.

use std::fs;

/// User and system seconds of all finished child processes and of theirs; `None` where the system has no `/proc`.
pub(crate) fn children_seconds() -> Option<f64> {
    seconds_in(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Reads fields 16 and 17 of `/proc/PID/stat`, which count in hundredths of a second (proc(5): `cutime`, `cstime`).
fn seconds_in(stat: &str) -> Option<f64> {
    let (_, behind_name) = stat.rsplit_once(") ")?; // the name of the program may hold spaces and brackets
    let mut fields = behind_name.split(' ').skip(13).map(str::parse::<u32>);
    let (user, system) = (fields.next()?.ok()?, fields.next()?.ok()?);
    Some((f64::from(user) + f64::from(system)) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_children_are_fields_16_and_17() {
        let stat = "7 (a) b) S 4 5 6 7 8 9 10 11 12 13 14 15 1600 170 18 19 20";
        assert_eq!(seconds_in(stat), Some(17.7));
        assert_eq!(seconds_in("7 (a) S 3"), None);
    }
}
