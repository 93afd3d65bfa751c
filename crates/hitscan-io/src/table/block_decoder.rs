//! The cells of a block of rows: the numbers that a query needs, and the columns that go to the results as they are.

use super::bad_row::{BadRow, OnError};
use super::carried_column::{CarriedCells, CarriedColumn, joined};
use super::columns::{ColumnBinding, Columns};
use super::table_float::TableFloat;
use super::table_source::{Block, BlockData};
use super::text_records::{BadRecord, Cell, RecordFormat, TextRecords};
use crate::error::{Fault, Result, quoted};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, Field};

/// Reads the cells of blocks.
pub(crate) struct BlockDecoder<'a> {
    columns: Columns,
    carried: &'a [CarriedColumn],
    /// For text: the slots are the columns, then those that are carried.
    records: Option<&'a RecordFormat>,
    on_error: OnError,
}

/// Rows whose cells have been read.
pub(crate) struct DecodedRows<S: TableFloat> {
    /// The number of the block's first row.
    pub(crate) first_row: u64,
    pub(crate) count: usize,
    /// The place of each row in the block, where bad rows were left out.
    pub(crate) places: Option<Vec<u32>>,
    /// In the order of the columns.
    pub(crate) numbers: Vec<NumberColumn<S>>,
    pub(crate) carried: Vec<ArrayRef>,
    /// The rows that are bad and still there, for [`OnError::Null`].
    pub(crate) is_bad: Option<Vec<bool>>,
    /// In ascending order of rows.
    pub(crate) bad_rows: Vec<BadRow>,
}

/// The numbers of a column.
pub(crate) struct NumberColumn<S: TableFloat> {
    /// For a mask of layers, its bits as a whole number.
    pub(crate) values: Numbers<S>,
    /// The cells that are null, in a column that may have them.
    pub(crate) nulls: Option<Vec<bool>>,
}

pub(crate) enum Numbers<S: TableFloat> {
    Real(ScalarBuffer<S>),
    Mask(Vec<u32>),
}

impl<S: TableFloat> NumberColumn<S> {
    pub(crate) fn reals(&self) -> &[S] {
        match &self.values {
            Numbers::Real(values) => values,
            Numbers::Mask(_) => &[],
        }
    }

    pub(crate) fn masks(&self) -> &[u32] {
        match &self.values {
            Numbers::Real(_) => &[],
            Numbers::Mask(values) => values,
        }
    }

    /// The numbers as `f64`, with a number for null cells.
    pub(super) fn to_f64(&self, null: f64) -> Vec<f64> {
        let mut numbers: Vec<f64> = match &self.values {
            Numbers::Real(values) => values.iter().map(|value| value.wide()).collect(),
            Numbers::Mask(values) => values.iter().map(|value| f64::from(*value)).collect(),
        };
        let nulls = self.nulls.iter().flatten();
        numbers.iter_mut().zip(nulls).filter(|(_, is_null)| **is_null).for_each(|(number, _)| *number = null);
        numbers
    }

    /// Makes the numbers of bad rows 0: a ray without a direction hits nothing.
    fn clear(&mut self, is_bad: &[bool]) {
        if let Numbers::Real(values) = &mut self.values {
            let cleared = values.iter().zip(is_bad).map(|(value, bad)| if *bad { S::nearest(0.0) } else { *value });
            *values = cleared.collect::<Vec<_>>().into();
        }
    }

    fn filter(&mut self, keeps: &[bool]) {
        fn kept<T: Copy>(values: &[T], keeps: &[bool]) -> Vec<T> {
            values.iter().zip(keeps).filter(|(_, keeps)| **keeps).map(|(value, _)| *value).collect()
        }
        match &mut self.values {
            Numbers::Real(values) => *values = kept(values, keeps).into(),
            Numbers::Mask(values) => *values = kept(values, keeps),
        }
        self.nulls = self.nulls.as_ref().map(|nulls| kept(nulls, keeps));
    }
}

impl<'a> BlockDecoder<'a> {
    pub(super) fn new(
        columns: Columns,
        carried: &'a [CarriedColumn],
        records: Option<&'a RecordFormat>,
        on_error: OnError,
    ) -> Self {
        Self { columns, carried, records, on_error }
    }

    pub(super) fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The columns that go to the results as they are.
    pub(crate) fn carried_fields(&self) -> Vec<Field> {
        self.carried.iter().map(|column| column.field.clone()).collect()
    }

    /// Whether rows that cannot be read stay, as rows of nulls.
    pub(crate) fn keeps_bad_rows(&self) -> bool {
        self.on_error == OnError::Null
    }

    /// Reads the cells of a block.
    pub(crate) fn decode<S: TableFloat>(&self, block: Block) -> Result<DecodedRows<S>, Fault> {
        let mut rows = match block.data {
            BlockData::Text(records) => self.text(block.first_row, block.rows, &records)?,
            BlockData::Records(batches) => self.records(block.first_row, block.rows, &batches)?,
        };
        if rows.bad_rows.is_empty() {
            return Ok(rows);
        }
        match self.on_error {
            OnError::Stop => return Err(rows.bad_rows.swap_remove(0).into_fault()),
            OnError::Skip => rows.leave_out_bad()?,
            OnError::Null => {
                let mut is_bad = vec![false; rows.count];
                rows.bad_rows.iter().for_each(|bad| is_bad[(bad.row - rows.first_row) as usize] = true);
                rows.numbers.iter_mut().for_each(|column| column.clear(&is_bad));
                rows.is_bad = Some(is_bad);
            }
        }
        Ok(rows)
    }

    fn text<S: TableFloat>(
        &self,
        first_row: u64,
        count: usize,
        records: &TextRecords,
    ) -> Result<DecodedRows<S>, Fault> {
        let Some(format) = self.records else { return Err(Fault::file("no text")) };
        let mut numbers: Vec<TextNumbers<S>> =
            self.columns.bindings().iter().map(|binding| TextNumbers::new(binding, count)).collect();
        let mut carried: Vec<CarriedCells> =
            self.carried.iter().map(|column| CarriedCells::new(column.field.data_type())).collect();
        let mut bad_rows = Vec::new();
        let mut row = first_row;
        records.for_each(format, |line, cells| {
            let at = (row, Some(line));
            let bad = match cells {
                Ok(cells) => {
                    let (own, others) = cells.split_at(numbers.len());
                    let mut bad = None;
                    for ((cell, binding), column) in own.iter().zip(self.columns.bindings()).zip(&mut numbers) {
                        let number = self.number(binding, cell);
                        column.push(number.as_ref().copied().unwrap_or_default());
                        if let (Err(reason), None) = (number, &bad) {
                            bad = Some(BadRow::new(at, Some(binding.name), &cell.lossy_text(), reason));
                        }
                    }
                    for ((cell, cells), column) in others.iter().zip(&mut carried).zip(self.carried) {
                        if let (Err(reason), None) = (cells.push(cell), &bad) {
                            bad = Some(BadRow::new(at, Some(column.field.name()), &cell.lossy_text(), reason));
                        }
                    }
                    bad
                }
                Err(BadRecord { column, text, reason }) => {
                    numbers.iter_mut().for_each(|column| column.push(None));
                    carried.iter_mut().for_each(CarriedCells::push_null);
                    Some(BadRow::new(at, column.as_deref(), &text, reason))
                }
            };
            row += 1;
            match (bad, self.on_error) {
                (Some(bad), OnError::Stop) => Err(bad.into_fault()),
                (bad, _) => {
                    bad_rows.extend(bad);
                    Ok(())
                }
            }
        })?;
        if row - first_row != count as u64 {
            return Err(Fault::file("the text has other records than lines: is a quote missing?"));
        }
        Ok(DecodedRows {
            first_row,
            count,
            places: None,
            numbers: numbers.into_iter().map(TextNumbers::finish).collect(),
            carried: carried.iter_mut().map(CarriedCells::finish).collect(),
            is_bad: None,
            bad_rows,
        })
    }

    /// The number in a cell, or why there is none; `None` for a null in a column that may have them.
    fn number<S: TableFloat>(&self, binding: &ColumnBinding, cell: &Cell<'_>) -> Result<Option<Number<S>>, String> {
        let field = match cell {
            Cell::Null(_) | Cell::Blank(_) if binding.is_nullable() => return Ok(None),
            Cell::Null(field) | Cell::Blank(field) => {
                return Err(match field.trim_ascii() {
                    [] => "the cell is empty".to_owned(),
                    null => format!("{} stands for a missing value, and a number is needed", quoted(null)),
                });
            }
            Cell::Raw(field) => field.trim_ascii(),
            Cell::String(text) => return Err(format!("{} is a text, not a number", quoted(text.as_bytes()))),
        };
        let text = str::from_utf8(field).ok();
        if binding.is_real() {
            // From the digits: a number that is rounded twice may not be the nearest.
            if let Some(value) = text.and_then(|text| text.parse::<S>().ok())
                && binding.admits(value.wide())
            {
                return Ok(Some(Number::Real(value)));
            }
        }
        let value = text.and_then(|text| text.parse::<f64>().ok());
        let value = value.ok_or_else(|| format!("{} is not a number", quoted(field)))?;
        if !binding.admits(value) {
            return Err(self.columns.not_allowed(binding, value));
        }
        if !binding.is_real() {
            // A whole number of 32 bits: `admits` has checked it.
            return Ok(Some(Number::Mask(value as u32)));
        }
        let size = if S::nearest(value).wide() == 0.0 { "small" } else { "large" };
        Err(format!("{} is too {size} for f32", quoted(field)))
    }

    fn records<S: TableFloat>(
        &self,
        first_row: u64,
        count: usize,
        batches: &[RecordBatch],
    ) -> Result<DecodedRows<S>, Fault> {
        let mut bad: Vec<BadRow> = Vec::new();
        let mut numbers = Vec::with_capacity(self.columns.bindings().len());
        for binding in self.columns.bindings() {
            let mut parts = Vec::with_capacity(batches.len());
            let mut row = first_row;
            for batch in batches {
                let array = column_of(batch, binding.name)?;
                parts.push(self.column(binding, array.as_ref(), row, &mut bad)?);
                row += batch.num_rows() as u64;
            }
            numbers.push(if parts.len() == 1 { parts.swap_remove(0) } else { all_numbers(&parts) });
        }
        let mut carried = Vec::with_capacity(self.carried.len());
        for column in self.carried {
            let parts = batches.iter().map(|batch| column_of(batch, column.field.name()).cloned());
            carried.push(joined(&parts.collect::<Result<Vec<_>, _>>()?)?);
        }
        // The first bad cell of a row, as in text.
        bad.sort_by_key(|bad| bad.row);
        bad.dedup_by_key(|bad| bad.row);
        Ok(DecodedRows { first_row, count, places: None, numbers, carried, is_bad: None, bad_rows: bad })
    }

    fn column<S: TableFloat>(
        &self,
        binding: &ColumnBinding,
        array: &dyn Array,
        first_row: u64,
        bad: &mut Vec<BadRow>,
    ) -> Result<NumberColumn<S>, Fault> {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        let nulls: Option<Vec<bool>> = nulls.map(|nulls| nulls.iter().map(|is_valid| !is_valid).collect());
        let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls[row]);
        if !binding.is_nullable() {
            for row in (0..array.len()).filter(|row| nulls.is_some() && is_null(*row)) {
                bad.push(Self::bad(binding, first_row + row as u64, "", "the cell is null".to_owned()));
            }
        }
        // The same type: nothing is copied.
        if let Some(same) = array.as_primitive_opt::<S::Arrow>().filter(|_| binding.is_real()) {
            let values = same.values();
            // Finite numbers, as almost all are: a loop without branches.
            let is_plain = values.iter().fold(true, |plain, value| plain & value.wide().is_finite());
            if !is_plain || !binding.is_any_finite() {
                for (row, value) in values.iter().enumerate() {
                    let value = value.wide();
                    if !binding.admits(value) && !is_null(row) {
                        let reason = self.columns.not_allowed(binding, value);
                        bad.push(Self::bad(binding, first_row + row as u64, &value.to_string(), reason));
                    }
                }
            }
            return Ok(NumberColumn { values: Numbers::Real(values.clone()), nulls });
        }
        let cells = widened(array)?;
        let mut number = |row: usize, cell: &Result<f64, i128>| {
            if is_null(row) {
                return 0.0;
            }
            let reason = match cell {
                Ok(value) if !binding.admits(*value) => self.columns.not_allowed(binding, *value),
                Ok(value) if binding.is_real() && !binding.admits(S::nearest(*value).wide()) => {
                    format!("{value:e} is beyond the range of f32 (f64 takes it)")
                }
                Ok(value) => return *value,
                Err(value) => format!("{value} is not exact as float64"),
            };
            let value = cell.map_or_else(|whole| whole.to_string(), |value| value.to_string());
            bad.push(Self::bad(binding, first_row + row as u64, &value, reason));
            0.0
        };
        let numbers = cells.iter().enumerate().map(|(row, cell)| number(row, cell));
        let values = match binding.is_real() {
            true => Numbers::Real(numbers.map(S::nearest).collect()),
            false => Numbers::Mask(numbers.map(|mask| mask as u32).collect()),
        };
        Ok(NumberColumn { values, nulls })
    }

    fn bad(binding: &ColumnBinding, row: u64, value: &str, reason: String) -> BadRow {
        BadRow::new((row, None), Some(binding.name), value, reason)
    }
}

impl<S: TableFloat> DecodedRows<S> {
    fn leave_out_bad(&mut self) -> Result<(), Fault> {
        let mut keeps = vec![true; self.count];
        self.bad_rows.iter().for_each(|bad| keeps[(bad.row - self.first_row) as usize] = false);
        self.numbers.iter_mut().for_each(|column| column.filter(&keeps));
        let mask = BooleanArray::from(keeps.clone());
        for array in &mut self.carried {
            *array = arrow_select::filter::filter(array.as_ref(), &mask)?;
        }
        self.places = Some((0..).zip(&keeps).filter(|(_, keeps)| **keeps).map(|(place, _)| place).collect());
        self.count -= self.bad_rows.len();
        Ok(())
    }
}

/// A number of a cell.
#[derive(Clone, Copy)]
enum Number<S> {
    Real(S),
    Mask(u32),
}

/// The numbers of a column of text.
struct TextNumbers<S> {
    reals: Vec<S>,
    masks: Vec<u32>,
    is_mask: bool,
    nulls: Option<Vec<bool>>,
}

impl<S: TableFloat> TextNumbers<S> {
    fn new(binding: &ColumnBinding, count: usize) -> Self {
        let is_mask = !binding.is_real();
        let (reals, masks) = if is_mask { (0, count) } else { (count, 0) };
        let nulls = binding.is_nullable().then(|| Vec::with_capacity(count));
        Self { reals: Vec::with_capacity(reals), masks: Vec::with_capacity(masks), is_mask, nulls }
    }

    fn push(&mut self, number: Option<Number<S>>) {
        match (number, self.is_mask) {
            (Some(Number::Real(value)), _) => self.reals.push(value),
            (Some(Number::Mask(value)), _) => self.masks.push(value),
            (None, false) => self.reals.push(S::nearest(0.0)),
            (None, true) => self.masks.push(0),
        }
        if let Some(nulls) = &mut self.nulls {
            nulls.push(number.is_none());
        }
    }

    fn finish(self) -> NumberColumn<S> {
        let values = if self.is_mask { Numbers::Mask(self.masks) } else { Numbers::Real(self.reals.into()) };
        NumberColumn { values, nulls: self.nulls.filter(|nulls| nulls.contains(&true)) }
    }
}

/// The parts of a column, one after the other.
fn all_numbers<S: TableFloat>(parts: &[NumberColumn<S>]) -> NumberColumn<S> {
    let has_nulls = parts.iter().any(|part| part.nulls.is_some());
    let (mut reals, mut masks, mut nulls) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        reals.extend_from_slice(part.reals());
        masks.extend_from_slice(part.masks());
        match &part.nulls {
            Some(part) => nulls.extend_from_slice(part),
            None => nulls.resize(reals.len().max(masks.len()), false),
        }
    }
    let is_mask = parts.first().is_some_and(|part| matches!(part.values, Numbers::Mask(_)));
    let values = if is_mask { Numbers::Mask(masks) } else { Numbers::Real(reals.into()) };
    NumberColumn { values, nulls: has_nulls.then_some(nulls) }
}

/// By name, which is unique: readers may reorder columns.
fn column_of<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b ArrayRef, Fault> {
    batch.column_by_name(name).ok_or_else(|| Fault::file("damaged: a column is lost"))
}

/// Numbers of any type as `f64`; integers that have no equal there are errors, since a ray that is silently moved would hit
/// something else.
fn widened(array: &dyn Array) -> Result<Vec<Result<f64, i128>>, Fault> {
    fn all<T: ArrowPrimitiveType<Native: Into<f64>>>(array: &dyn Array) -> Vec<Result<f64, i128>> {
        array.as_primitive::<T>().values().iter().map(|&value| Ok(value.into())).collect()
    }
    fn whole(values: impl Iterator<Item = i128>) -> Vec<Result<f64, i128>> {
        let exact = |value: i128| if (value as f64) as i128 == value { Ok(value as f64) } else { Err(value) };
        values.map(exact).collect()
    }
    Ok(match array.data_type() {
        DataType::Float64 => all::<Float64Type>(array),
        DataType::Float32 => all::<Float32Type>(array),
        DataType::Int8 => all::<Int8Type>(array),
        DataType::Int16 => all::<Int16Type>(array),
        DataType::Int32 => all::<Int32Type>(array),
        DataType::UInt8 => all::<UInt8Type>(array),
        DataType::UInt16 => all::<UInt16Type>(array),
        DataType::UInt32 => all::<UInt32Type>(array),
        DataType::Int64 => whole(array.as_primitive::<Int64Type>().values().iter().map(|&v| i128::from(v))),
        DataType::UInt64 => whole(array.as_primitive::<UInt64Type>().values().iter().map(|&v| i128::from(v))),
        other => return Err(Fault::file(format!("damaged: a column became {other}"))),
    })
}
