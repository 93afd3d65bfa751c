//! A table of rays to a table of results: read, decode, cast, encode and write, block by block and overlapping.

use super::ordered::in_order;
use super::ray_caster::{BlockCaster, CastStatistics, RayCaster, TableVector};
use super::ray_rows::RayLayout;
use crate::dimension::{Dimension, Precision};
use crate::error::{Error, Fault, Result};
use crate::output::Output;
use crate::table::{
    BadRow, Carried, Compression, EncodedBlock, Format, LasRounding, OnError, OpenOptions, OpenTable, RayBatch,
    TableBatch, TableEncoder, TableEncoding, TableFile, TextOptions, with_metadata,
};
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The rows that are cast at a time: a row group of Parquet, a record batch of Arrow.
///
/// Blocks depend on the table only, not on the number of threads or on interruptions.
pub const BLOCK_ROWS: usize = 125_000;

/// How a table of rays is read.
#[derive(Clone, Debug, Default)]
pub struct RayTableOptions {
    /// How text is written.
    pub text: TextOptions,
    /// The columns that go to the results as they are.
    pub carried: Carried,
    /// Whether columns of text that are carried get the types of their cells in the first rows; otherwise they stay text.
    pub has_types: bool,
    /// The rows to read, for Parquet; all without it.
    pub rows: Option<Range<u64>>,
}

/// A table of rays, open for reading.
pub struct RayTable {
    pub(super) table: OpenTable,
    layout: RayLayout,
}

impl RayTable {
    /// Opens a table; `-` is standard input. Its first bytes tell the format, as those of pipes do.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no such table, or lacks columns.
    pub fn open(path: &Path, dimension: Dimension, options: &RayTableOptions) -> Result<Self> {
        let open = OpenOptions {
            format: None,
            text: &options.text,
            decimals: Precision::F64,
            carried: &options.carried,
            has_types: options.has_types,
            rows: options.rows.clone(),
        };
        let table = OpenTable::open(path, &RayBatch::KIND, dimension, &open)?;
        Ok(Self::new(table, dimension))
    }

    /// Rays in memory, as a table of decimals.
    ///
    /// # Errors
    ///
    /// When the columns have different lengths.
    pub fn of_rays(rays: &RayBatch) -> Result<Self> {
        let table = OpenTable::in_memory(rays, &RayBatch::KIND).map_err(|fault| fault.in_file(Path::new("rays")))?;
        Ok(Self::new(table, rays.dimension))
    }

    fn new(table: OpenTable, dimension: Dimension) -> Self {
        let has = |name| table.columns().has(name);
        let layout = RayLayout {
            dimension,
            is_segment: has("ax"),
            has_t_min: has("t_min"),
            has_t_max: has("t_max"),
            has_layers: has("layers"),
            has_max_distance: has("max_distance"),
        };
        Self { table, layout }
    }

    /// The widest precision of the columns, where they have types.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.table.precision()
    }

    /// The bytes of a stream that went to a temporary file, for a format that is read from its end.
    #[must_use]
    pub fn spooled(&self) -> Option<u64> {
        self.table.spooled
    }

    /// The name of the file, for messages.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.table.name
    }
}

/// How a table of results is written.
#[derive(Clone, Debug)]
pub struct CastOutputOptions {
    /// The format; `None` gives the rows to [`CastSink::write`] as they are.
    pub format: Option<Format>,
    /// The compression of text as a whole.
    pub compression: Compression,
    /// How CSV is written.
    pub text: TextOptions,
    /// Facts about the table, as names and values, for the metadata of Parquet and Arrow files.
    pub metadata: Vec<(String, String)>,
    /// What to do about rows that cannot be read.
    pub on_error: OnError,
    /// The number of threads; more than [`MAX_THREADS`](crate::MAX_THREADS) count as so many.
    pub threads: usize,
}

/// Where the results of a table go.
pub trait CastSink: Send {
    /// Writes rows.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    fn write(&mut self, rows: ResultRows) -> Result<()>;
    /// Keeps rows that could not be read, in ascending order.
    ///
    /// # Errors
    ///
    /// When they cannot be kept.
    fn bad_rows(&mut self, rows: &[BadRow]) -> Result<()>;
    /// Tells how far the work has come: the rows so far, and the part of the table that has been read, where that is known.
    ///
    /// # Errors
    ///
    /// An error ends the work.
    fn progress(&mut self, rows: u64, share: Option<f64>) -> Result<()>;
}

/// Rows of results.
pub struct ResultRows(pub(super) ResultBlock);

pub(super) enum ResultBlock {
    Encoded(EncodedBlock),
    Records(RecordBatch),
}

impl ResultRows {
    /// The number of rows and the text of each cell by name, for people; `None` for rows that are encoded.
    #[must_use]
    pub fn records(&self) -> Option<&RecordBatch> {
        match &self.0 {
            ResultBlock::Encoded(_) => None,
            ResultBlock::Records(batch) => Some(batch),
        }
    }
}

/// The results of a table of rays, ready to be computed.
pub struct TableCast<'a> {
    caster: &'a dyn BlockCaster,
    table: RayTable,
    encoder: Option<Arc<TableEncoder>>,
    options: CastOutputOptions,
    schema: SchemaRef,
}

impl<'a> TableCast<'a> {
    /// The cast of a table.
    ///
    /// # Errors
    ///
    /// When the columns of the results do not go together, or the format does not have them.
    pub fn new<V: TableVector>(
        caster: &'a RayCaster<'a, V>,
        table: RayTable,
        options: CastOutputOptions,
    ) -> Result<Self> {
        Self::of(caster, table, options)
    }

    pub(super) fn of(caster: &'a dyn BlockCaster, table: RayTable, options: CastOutputOptions) -> Result<Self> {
        let name = table.table.name.clone();
        debug_assert_eq!(caster.dimension(), table.layout.dimension);
        let prepared = || {
            let schema = schema(&table, caster, options.on_error)?;
            let encoding = options.format.map(|format| TableEncoding {
                format,
                compression: options.compression,
                text: options.text.clone(),
                metadata: options.metadata.clone(),
                grid: caster.grid(),
            });
            let encoder = match &encoding {
                Some(encoding) => Some(Arc::new(TableEncoder::new(&with_metadata(&schema, encoding), encoding)?)),
                None => None,
            };
            Ok((schema, encoder))
        };
        let (schema, encoder) = prepared().map_err(|fault: Fault| fault.in_file(&name))?;
        Ok(Self { caster, table, encoder, options, schema })
    }

    /// The columns of the results.
    #[must_use]
    pub fn columns(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// What begins files of results.
    #[must_use]
    pub fn opener(&self) -> ResultOpener {
        ResultOpener { encoder: self.encoder.clone() }
    }

    /// Casts the next rows, `most` or all that are left, and gives the results to `sink` in the order of the rays.
    ///
    /// # Errors
    ///
    /// When a row cannot be read, unless the options say otherwise, or the sink has an error.
    pub fn run(&mut self, most: Option<u64>, sink: &mut dyn CastSink) -> Result<CastStatistics> {
        let Self { caster, table, encoder, options, .. } = self;
        let encoder = encoder.as_ref();
        let (layout, name) = (table.layout, table.table.name.clone());
        // The decoder reads what was found when the table was opened; the source goes on.
        let (source, decoder) = table.table.split(options.on_error);
        let in_table = |fault: Fault| fault.in_file(&name);
        let mut left = most.unwrap_or(u64::MAX);
        let next = || {
            if left == 0 {
                return Ok(None);
            }
            let rows = usize::try_from(left).unwrap_or(usize::MAX).min(BLOCK_ROWS);
            let block = source.next_block(rows).map_err(in_table)?;
            left -= block.as_ref().map_or(0, |block| block.rows as u64);
            Ok(block.map(|block| (block, source.progress())))
        };
        let work = |(block, share)| {
            let cast = caster.cast(&decoder, block, layout).map_err(in_table)?;
            let rows = match encoder {
                Some(encoder) => encoder.encode(cast.batch).map_err(in_table)?.map(ResultBlock::Encoded),
                None => Some(ResultBlock::Records(cast.batch)),
            };
            Ok::<_, Error>((rows, cast.statistics, cast.bad_rows, share))
        };
        let mut statistics = CastStatistics::default();
        in_order(options.threads, next, work, |(rows, of_block, bad_rows, share)| {
            if !bad_rows.is_empty() {
                sink.bad_rows(&bad_rows)?;
            }
            rows.map_or(Ok(()), |rows| sink.write(ResultRows(rows)))?;
            statistics.append(&of_block);
            sink.progress(statistics.rows_in, share)
        })?;
        Ok(statistics)
    }

    /// Passes over rows that have been cast before.
    ///
    /// # Errors
    ///
    /// When there are fewer.
    pub fn skip(&mut self, rows: u64) -> Result<u64> {
        let name = self.table.table.name.clone();
        let (source, _) = self.table.table.split(OnError::Stop);
        let mut skipped = 0;
        while skipped < rows {
            let most = usize::try_from(rows - skipped).unwrap_or(usize::MAX).min(BLOCK_ROWS);
            let block = source.next_block(most).map_err(|fault| fault.in_file(&name))?;
            let Some(block) = block else { break };
            skipped += block.rows as u64;
        }
        Ok(skipped)
    }

    /// Whether there are more rows.
    ///
    /// # Errors
    ///
    /// When the table cannot be read.
    pub fn has_more(&mut self) -> Result<bool> {
        self.table.table.has_more().map_err(|fault| fault.in_file(&self.table.table.name))
    }
}

/// The columns that are carried, then those of the results.
fn schema(table: &RayTable, caster: &dyn BlockCaster, on_error: OnError) -> Result<SchemaRef, Fault> {
    let carried = table.table.carried_fields();
    let results: Vec<Field> = caster.columns().fields(on_error == OnError::Null).collect();
    for (place, field) in carried.iter().enumerate() {
        let name = field.name();
        if carried[..place].iter().any(|other| other.name() == name) {
            return Err(Fault::file(format!("column '{name}' is kept twice")));
        }
        if results.iter().any(|other| other.name() == name) {
            let text = format!("column '{name}' is kept, and it is among the results, too: leave out one of them");
            return Err(Fault::file(text));
        }
    }
    Ok(Arc::new(Schema::new([carried, results].concat())))
}

/// Begins files of results.
#[derive(Clone)]
pub struct ResultOpener {
    encoder: Option<Arc<TableEncoder>>,
}

impl ResultOpener {
    /// Begins a file of results, or standard output without a `target`.
    ///
    /// # Errors
    ///
    /// When the file cannot be created.
    pub fn begin(&self, target: Option<&Path>) -> Result<ResultFile> {
        let output = Output::create(target)?;
        let name = output.name().to_owned();
        let Some(encoder) = &self.encoder else {
            return Err(Fault::file("a table for people is no file").in_file(&name));
        };
        let file = encoder.begin(output).map_err(|fault| fault.in_file(&name))?;
        Ok(ResultFile { file, name, rename: None })
    }
}

/// A file of results, written block by block. It appears with [`ResultFile::finish`].
pub struct ResultFile {
    file: TableFile,
    name: PathBuf,
    rename: Option<String>,
}

impl ResultFile {
    /// Writes rows of the cast that has begun the file.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    pub fn write(&mut self, rows: ResultRows) -> Result<()> {
        let written = match rows.0 {
            ResultBlock::Encoded(block) => self.file.write(block),
            ResultBlock::Records(_) => Err(Fault::file("rows that are not encoded")),
        };
        written.map_err(|fault| fault.in_file(&self.name))
    }

    /// How the coordinates of a LAS file are rounded so far; `None` in other formats.
    #[must_use]
    pub fn rounding(&self) -> Option<LasRounding> {
        self.file.rounding()
    }

    /// Changes the name that the file gets. The folder stays.
    pub(super) fn rename(&mut self, name: &str) {
        let name = name.rsplit('/').next().unwrap_or(name);
        self.rename = Some(name.to_owned());
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn finish(self) -> Result<()> {
        let mut output = self.file.finish().map_err(|fault| fault.in_file(&self.name))?;
        if let Some(name) = &self.rename {
            output.rename(name);
        }
        output.finish()
    }
}
