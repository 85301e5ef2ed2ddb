// What train.c does, with the Rust module.
mod digits;

use std::convert::TryInto;
use std::fs;

/// The tensor `name` of a .safetensors file, whose header is simple.
fn tensor(file: &[u8], name: &str) -> Vec<f32> {
    let size = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&file[8..8 + size]).unwrap();
    let entry = &header[header.find(&format!("\"{}\":", name)).expect(name)..];
    let offsets = &entry[entry.find("data_offsets\":[").unwrap() + 15..];
    let numbers: Vec<usize> = offsets[..offsets.find(']').unwrap()]
        .split(',')
        .map(|n| n.parse().unwrap())
        .collect();
    floats(&file[8 + size + numbers[0]..8 + size + numbers[1]])
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

static TAKEN: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);

fn layout(bytes: u64, alignment: u64) -> std::alloc::Layout {
    std::alloc::Layout::from_size_align(bytes as usize, alignment as usize).unwrap()
}

unsafe extern "C" fn take(bytes: u64, alignment: u64, _: *mut std::ffi::c_void) -> *mut std::ffi::c_void {
    TAKEN.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    unsafe { std::alloc::alloc(layout(bytes, alignment)) as *mut std::ffi::c_void }
}

unsafe extern "C" fn give(memory: *mut std::ffi::c_void, bytes: u64, _: *mut std::ffi::c_void) {
    unsafe { std::alloc::dealloc(memory as *mut u8, layout(bytes, 64)) }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().collect();
    let weights = digits::weights();
    let mut state: Vec<Vec<f32>> = [
        "hidden.weight", "hidden.bias", "out.weight", "out.bias",
        "velocity.hidden.weight", "velocity.hidden.bias",
        "velocity.out.weight", "velocity.out.bias",
    ].iter().map(|name| tensor(weights, name)).collect();
    let data = floats(&fs::read(&paths[2])?);
    let mut results: Vec<f32> = Vec::new();
    let mut model = digits::Model::new(1)?;
    unsafe { model.set_memory(take, give, std::ptr::null_mut()) };
    let (first, second) = state.split_at_mut(4);
    for step in data.chunks_exact(64 * 64 + 64 * 10) {
        let (images, labels) = step.split_at(64 * 64);
        let mut loss = [0f32; 1];
        let [w1, b1, w2, b2] = match first { [a, b, c, d] => [a, b, c, d], _ => unreachable!() };
        let [v1, c1, v2, c2] = match second { [a, b, c, d] => [a, b, c, d], _ => unreachable!() };
        let outcome = model.train_step(
            images.try_into()?, labels.try_into()?,
            w1.as_mut_slice().try_into()?, b1.as_mut_slice().try_into()?,
            w2.as_mut_slice().try_into()?, b2.as_mut_slice().try_into()?,
            v1.as_mut_slice().try_into()?, c1.as_mut_slice().try_into()?,
            v2.as_mut_slice().try_into()?, c2.as_mut_slice().try_into()?,
            &mut loss,
        )?;
        assert_eq!(outcome, digits::Outcome::Done);
        results.push(loss[0]);
    }
    assert_eq!(TAKEN.load(std::sync::atomic::Ordering::SeqCst) as usize, results.len());
    for weight in first.iter() {
        results.extend(weight);
    }
    let bytes: Vec<u8> = results.iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(&paths[3], bytes)?;
    Ok(())
}
