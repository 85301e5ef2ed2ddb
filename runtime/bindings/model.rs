use std::ffi::{c_char, c_void, CStr};
use std::fmt;

/// A call that failed: a CG_ERROR_ code and its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub status: i32,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for Error {}

/// How a call that worked ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// A training step left its update out: a gradient is not finite.
    Skipped,
}

const OK: i32 = 0;
const SKIPPED: i32 = -1;
const ERROR_HEADER: i32 = 11;
const ERROR_BATCH: i32 = 15;
const ABI: u32 = 2;

/// Gives `bytes` bytes aligned to `alignment`, or null; called on the thread of the call.
pub type Allocate = unsafe extern "C" fn(bytes: u64, alignment: u64, user: *mut c_void) -> *mut c_void;
/// Takes back what such a function gave, of that many bytes.
pub type Release = unsafe extern "C" fn(memory: *mut c_void, bytes: u64, user: *mut c_void);

/// cg_context, of which this module sets the arena, the threads and where memory comes from.
#[repr(C)]
struct Context {
    struct_size: u32,
    flags: u32,
    arena: *mut c_void,
    arena_bytes: u64,
    until_parallel: [u64; 8],
    parallel: *mut c_void,
    until_memory: [u64; 5],
    allocate: Option<Allocate>,
    release: Option<Release>,
    memory_user: *mut c_void,
    after_memory: [u64; 3],
}

/// The beginning of cg_parallel.
#[repr(C)]
struct Parallel {
    struct_size: u32,
    threads: i32,
}

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

/// The number of rows of a slice, where all have the same.
fn rows(lengths: &[(usize, usize)]) -> Option<i64> {
    let (length, row) = lengths[0];
    let count = length / row.max(1);
    let fits = lengths.iter().all(|&(length, row)| length == count * row);
    if fits { Some(count as i64) } else { None }
}

