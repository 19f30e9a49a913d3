//! What a program calls its devices, contexts and streams: kept for who records what they do. A bounded list that only grows.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Most of them; names of further ones are passed over.
const MOST: usize = 1024;

/// What is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// By its number.
    Device = 1,
    /// By its handle.
    Context = 2,
    /// By its handle.
    Stream = 3,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Device, Self::Context, Self::Stream];
}

/// Something and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// What it is.
    pub kind: Kind,
    /// A number or a handle. A program may give a handle that it let go of to another thing, and name that anew.
    pub object: u64,
    /// The number of its name.
    pub name: u32,
}

struct Place {
    /// A [`Kind`]; 0 until the rest stands there.
    kind: AtomicU32,
    name: AtomicU32,
    object: AtomicU64,
}

static PLACES: [Place; MOST] =
    [const { Place { kind: AtomicU32::new(0), name: AtomicU32::new(0), object: AtomicU64::new(0) } }; MOST];
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Something has a name; the last one holds.
pub fn name(kind: Kind, object: u64, name: u32) {
    if let Some(place) =
        PLACES.iter().take_while(|place| place.kind() != 0).find(|place| place.is(kind, object))
    {
        return place.name.store(name, Ordering::Relaxed);
    }
    if let Some(place) = PLACES.get(TAKEN.fetch_add(1, Ordering::Relaxed).min(MOST)) {
        place.object.store(object, Ordering::Relaxed);
        place.name.store(name, Ordering::Relaxed);
        place.kind.store(kind as u32, Ordering::Release);
    }
}

/// All that have a name.
pub fn named() -> impl Iterator<Item = Named> {
    PLACES.iter().filter_map(|place| {
        let number = place.kind();
        let kind = Kind::ALL.into_iter().find(|kind| *kind as u32 == number)?;
        let (object, name) = (place.object.load(Ordering::Relaxed), place.name.load(Ordering::Relaxed));
        Some(Named { kind, object, name })
    })
}

impl Place {
    fn kind(&self) -> u32 {
        self.kind.load(Ordering::Acquire)
    }

    fn is(&self, kind: Kind, object: u64) -> bool {
        self.kind() == kind as u32 && self.object.load(Ordering::Relaxed) == object
    }
}
