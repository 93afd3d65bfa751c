//! Dates and times as text, by ISO 8601, in the Gregorian calendar.

/// The date of a day, counted from 1 January 1970: `2024-02-29`.
///
/// Years begin in March, so that the leap day is the last of a year (Howard Hinnant, "chrono-compatible low-level date
/// algorithms", `civil_from_days`).
pub(super) fn date(day: i64) -> String {
    const DAYS_OF_400_YEARS: i64 = 146_097;
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(DAYS_OF_400_YEARS), day.rem_euclid(DAYS_OF_400_YEARS));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

/// A time that is counted from 1970 in parts of a second: `2024-02-29T12:00:00.25`.
pub(super) fn timestamp(count: i64, per_second: i64) -> String {
    const SECONDS_OF_DAY: i64 = 86_400;
    let (seconds, part) = (count.div_euclid(per_second), count.rem_euclid(per_second));
    let (day, second) = (seconds.div_euclid(SECONDS_OF_DAY), seconds.rem_euclid(SECONDS_OF_DAY));
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let time = format!("{}T{hour:02}:{minute:02}:{second:02}", date(day));
    if part == 0 {
        return time;
    }
    let digits = per_second.ilog10() as usize;
    let fraction = format!("{part:0digits$}");
    format!("{time}.{}", fraction.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let days = [0, -1, 59, 11_016, 19_782, 24_837, -719_162, 2_932_896].map(date);
        let dates = ["1970-01-01", "1969-12-31", "1970-03-01", "2000-02-29", "2024-02-29", "2038-01-01", "0001-01-01"];
        assert_eq!(days[..7], dates);
        assert_eq!(days[7], "9999-12-31");
    }

    #[test]
    fn times_have_the_digits_that_they_need() {
        assert_eq!(timestamp(1_709_208_000_250, 1_000), "2024-02-29T12:00:00.25");
        assert_eq!(timestamp(-1, 1_000_000_000), "1969-12-31T23:59:59.999999999");
        assert_eq!(timestamp(86_399, 1), "1970-01-01T23:59:59");
    }
}
