//! The calls of the program and the events at which CUPTI calls the recorder: it counts stream captures,
//! notes graphs' nodes, delivers records before a device is reset, and records unified memory once the driver
//! is initialized. Knows neither records nor cycles.

#![allow(unsafe_code, reason = "reads structures that CUPTI passes to its callback")]

use std::ffi::c_void;
use std::sync::OnceLock;

use super::functions::Functions;
use super::graphs::{self, GraphData};
use super::{captures, functions};
use crate::cuda::kinds::unified;
use crate::errno::keep;
use crate::guard::shield;

/// `CUPTI_CB_DOMAIN_DRIVER_API`: the domain of callbacks for calls of the driver's functions.
const DRIVER: u32 = 1;
/// `CUPTI_CB_DOMAIN_RUNTIME_API`: the domain of callbacks for calls of the runtime's functions.
const RUNTIME: u32 = 2;
/// `CUPTI_CB_DOMAIN_RESOURCE`: the domain of callbacks for events, such as the end of the driver's
/// initialization and the creation of a graph's node.
const RESOURCE: u32 = 3;

/// The functions that reset a device, each by its callback domain and CUPTI's number: `cudaDeviceReset` and
/// two versions of `cuDevicePrimaryCtxReset`.
const RESETS: [(u32, u32); 3] = [(RUNTIME, 164), (DRIVER, 389), (DRIVER, 545)];
/// `CUPTI_CBID_RESOURCE_CU_INIT_FINISHED`: the driver has been initialized.
const INITIALIZED: u32 = 5;
/// `CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED`: a node of a graph was created.
const NODE_CREATED: u32 = 13;
/// `CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED`: a node of a graph was made as a copy of another one.
const NODE_COPIED: u32 = 20;

/// `CUPTI_API_ENTER`: the callback comes when the function is called.
const ENTER: u32 = 0;
/// `CUPTI_API_EXIT`: the callback comes when the function returns.
const EXIT: u32 = 1;

/// The session with CUPTI, as the callbacks call it.
pub(super) trait Session: Sync {
    /// CUPTI's functions; `None` if they must not be called any more.
    fn functions(&self) -> Option<&Functions>;

    /// Called when the driver has been initialized, if unified memory is to be recorded.
    fn initialized(&self);

    /// Called before the program resets a device.
    fn before_reset(&self);
}

/// The session that the callbacks call, once it has begun.
static SESSION: OnceLock<&'static dyn Session> = OnceLock::new();

/// The beginning of `CUpti_CallbackData`: whether the function is called or returns, and pointers to its
/// name, its parameters and its result.
#[repr(C)]
struct Call {
    site: u32,
    _name: *const c_void,
    _parameters: *const c_void,
    returned: *const u32,
}

/// `CUpti_ResourceData`: the context, the resource's handle, and a pointer to further data of the event
/// ([`GraphData`] for events of graphs).
#[repr(C)]
struct Resource {
    _context: *const c_void,
    _handle: *const c_void,
    data: *const c_void,
}

/// Has the callbacks call `session` from now on. Only the first call of this function has an effect.
pub(super) fn serve(session: &'static dyn Session) {
    // There is one session in a process.
    let _ = SESSION.set(session);
}

/// Enables the callbacks of the subscription `handle` that the recorder needs; with `with_nodes`, also those
/// for nodes of graphs.
pub(super) fn enable(cupti: &Functions, handle: *mut c_void, with_nodes: bool) {
    let captures = captures::BEGIN.into_iter().chain(captures::END).map(|function| (DRIVER, function));
    let nodes = [(RESOURCE, NODE_CREATED), (RESOURCE, NODE_COPIED)].into_iter().filter(|_| with_nodes);
    let initialized = Some((RESOURCE, INITIALIZED)).filter(|_| !unified::asked().is_empty());
    for (domain, function) in captures.chain(RESETS).chain(initialized).chain(nodes) {
        // CUPTI refuses functions that the driver's version does not have; the program cannot call them
        // either. SAFETY: the handle is that of our subscription.
        let _ = unsafe { cupti.enable_callback(1, handle, domain, function) };
    }
}

/// Callback of the subscription, which CUPTI calls on the program's threads. `function` is CUPTI's number of
/// the called function, or of the event, within `domain`.
pub(super) extern "C" fn called(_datum: *mut c_void, domain: u32, function: u32, data: *const c_void) {
    if (domain, function) == (RESOURCE, INITIALIZED) {
        shield((), || keep(|| SESSION.get().into_iter().for_each(|session| session.initialized())));
        return;
    }
    if data.is_null() {
        return;
    }
    if domain == RESOURCE {
        // SAFETY: CUPTI passes such a structure with resources.
        let graph: *const GraphData = unsafe { (*data.cast::<Resource>()).data }.cast();
        if !graph.is_null()
            && let Some(cupti) = SESSION.get().and_then(|session| session.functions())
        {
            // SAFETY: CUPTI passes such a structure with events of graphs, the only other ones that are
            // enabled.
            let graph = unsafe { &*graph };
            shield((), || keep(|| node(cupti, function, graph)));
        }
    } else if domain == DRIVER || domain == RUNTIME {
        // SAFETY: CUPTI passes such a structure with calls; it has only grown at its end.
        let Call { site, returned, .. } = unsafe { &*data.cast::<Call>() };
        if RESETS.contains(&(domain, function)) {
            if *site == ENTER {
                shield((), || keep(before_reset));
            }
        } else if *site == EXIT {
            // SAFETY: the function's result, once it is over.
            let is_done = !returned.is_null() && unsafe { **returned } == functions::OK;
            captures::returned(function, is_done);
        }
    }
}

fn before_reset() {
    if let Some(session) = SESSION.get() {
        session.before_reset();
    }
}

/// Notes the node of a graph that was created or copied, as `event` says; does nothing for other events.
fn node(cupti: &Functions, event: u32, graph: &GraphData) {
    match event {
        NODE_CREATED => graphs::created(cupti, graph),
        NODE_COPIED => graphs::copied(cupti, graph),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use cudarc::cupti::sys::{
        CUpti_ApiCallbackSite as Site, CUpti_CallbackDomain as Domain, CUpti_CallbackIdResource as Resources,
        CUpti_driver_api_trace_cbid as Driver, CUpti_runtime_api_trace_cbid as Runtime,
    };

    use super::*;

    #[test]
    fn numbers_are_nvidias() {
        assert_eq!(
            [DRIVER, RUNTIME, RESOURCE],
            [
                Domain::CUPTI_CB_DOMAIN_DRIVER_API,
                Domain::CUPTI_CB_DOMAIN_RUNTIME_API,
                Domain::CUPTI_CB_DOMAIN_RESOURCE
            ]
            .map(|domain| domain as u32)
        );
        assert_eq!(RESETS[0].1, Runtime::CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020 as u32);
        assert_eq!(RESETS[1].1, Driver::CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset as u32);
        assert_eq!(RESETS[2].1, Driver::CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2 as u32);
        assert_eq!(INITIALIZED, Resources::CUPTI_CBID_RESOURCE_CU_INIT_FINISHED as u32);
        assert_eq!(NODE_CREATED, Resources::CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED as u32);
        assert_eq!(NODE_COPIED, Resources::CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED as u32);
        assert_eq!([ENTER, EXIT], [Site::CUPTI_API_ENTER, Site::CUPTI_API_EXIT].map(|site| site as u32));
    }

    #[test]
    fn captures_are_counted_when_they_have_begun() {
        let call = |function: u32, site: u32, result: u32| {
            let data =
                Call { site, _name: ptr::null(), _parameters: ptr::null(), returned: &raw const result };
            called(ptr::null_mut(), DRIVER, function, (&raw const data).cast());
            captures::is_any()
        };
        let _alone = crate::ranges::alone();
        assert!(!call(539, ENTER, 0) && !call(539, EXIT, 900));
        assert!(call(539, EXIT, 0));
        assert!(!call(497, EXIT, 901));
    }
}
