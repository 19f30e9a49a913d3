//! The event names of a training run in Kineto's form, about 470, and in Paddle's: as long and as repetitive
//! as real ones.

/// Runtime calls: those that launch device work first, then those that do not.
pub(super) const CALLS: [&str; 9] = [
    "cudaLaunchKernel",
    "cudaMemcpyAsync",
    "cudaMemsetAsync",
    "cudaStreamIsCapturing",
    "cudaEventRecordWithFlags",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cudaFuncGetAttributes",
    "cudaStreamWaitEvent",
    "cudaDeviceSynchronize",
];

pub(super) const COPIES: [&str; 3] =
    ["Memcpy HtoD (Pinned -> Device)", "Memcpy DtoD (Device -> Device)", "Memset (Device)"];

pub(super) const COLLECTIVES: [&str; 2] = [
    "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
    "ncclDevKernel_AllGather_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
];

pub(super) const RANGES: [&str; 4] = [
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
    "forward",
    "backward",
    "Optimizer.step#AdamW.step",
];

/// Types and names of Paddle's ranges, in the order of [`RANGES`].
pub(super) const PADDLE_RANGES: [(&str, &str); 4] = [
    ("Dataloader", "_DataLoaderIterSingleProcess"),
    ("Forward", "Net"),
    ("Backward", "Gradient Backward"),
    ("Optimization", "Optimization Step"),
];

/// Paddle's layers.
pub(super) const LAYERS: [&str; 8] =
    ["Linear", "Conv2D", "LayerNorm", "Embedding", "MultiHeadAttention", "Dropout", "GELU", "Sequential"];

const PADDLE: &str = "matmul_v2 matmul batch_norm relu adam_ momentum cast scale softmax_with_cross_entropy pool2d add \
    reshape2 elementwise_add elementwise_mul full full_ not_equal multiply cross_entropy_with_softmax mean_all slice \
    transpose2 layer_norm softmax dropout gelu silu concat split lookup_table_v2 embedding flash_attn fused_rotary \
    fused_bias_dropout_residual_layer_norm squeeze2 unsqueeze2 stack gather gather_nd scatter where expand_v2 tile sum \
    mean pow rsqrt clip isfinite check_finite_and_unscale update_loss_scaling c_allreduce_sum c_allgather c_identity \
    fill_constant assign memcpy_d2h top_k_v2 argmax one_hot_v2 conv2d depthwise_conv2d";

const ATEN: &str = "linear matmul mm addmm t transpose as_strided mul mul_ add add_ copy_ to _to_copy empty empty_like \
    empty_strided layer_norm native_layer_norm softmax _softmax dropout native_dropout view reshape _unsafe_view gelu \
    silu cat slice select narrow split expand sum mean pow rsqrt div sub neg embedding index_select zero_ fill_ zeros \
    cross_entropy_loss nll_loss_nd log_softmax detach clone contiguous convolution cudnn_convolution batch_norm relu \
    cudnn_batch_norm clamp_min max_pool2d scaled_dot_product_attention _scaled_dot_product_flash_attention bmm baddbmm \
    _flash_attention_forward _foreach_add_ _foreach_mul_ _foreach_addcdiv_ _fused_adamw_ lerp_ unbind stack where item \
    masked_fill triu arange _local_scalar_dense is_nonzero";

const BACKWARD: &str = "Addmm Mm Mul NativeLayerNorm Gelu Softmax View T UnsafeView Transpose Add Embedding NllLoss \
    ScaledDotProductFlashAttention LogSoftmax NativeDropout Slice Cat Split ToCopy";

const MODULES: &str = "LlamaForCausalLM LlamaModel LlamaDecoderLayer LlamaAttention LlamaMLP LlamaRMSNorm Linear \
    Embedding Dropout LayerNorm SiLU ModuleList";

const FUNCTORS: [&str; 7] = [
    "at::native::CUDAFunctor_add<{t}>",
    "at::native::FillFunctor<{t}>",
    "at::native::BinaryFunctor<{t}, {t}, {t}, at::native::binary_internal::MulFunctor<{t}> >",
    "at::native::AUnaryFunctor<{t}, {t}, {t}, at::native::binary_internal::MulFunctor<{t}> >",
    "at::native::sigmoid_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda({t})#1}",
    "at::native::rsqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda({t})#1}",
    "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const",
];

/// Operators: aten's, collectives, and those of the backward pass.
pub(super) fn operators() -> Vec<String> {
    let mut names: Vec<String> = ATEN.split_whitespace().map(|name| format!("aten::{name}")).collect();
    names.extend(
        ["allreduce_", "_allgather_base_", "_reduce_scatter_base_"].map(|name| format!("c10d::{name}")),
    );
    names.extend(["record_param_comms", "nccl:all_reduce", "FlashAttnFunc"].map(String::from));
    names
}

/// Paddle's operators.
pub(super) fn paddle_operators() -> Vec<&'static str> {
    PADDLE.split_whitespace().collect()
}

/// Operators that the autograd engine runs.
pub(super) fn gradients() -> Vec<String> {
    let of =
        |name| [format!("autograd::engine::evaluate_function: {name}Backward0"), format!("{name}Backward0")];
    let mut names: Vec<String> = BACKWARD.split_whitespace().flat_map(of).collect();
    names.push("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad".into());
    names.push("torch::autograd::AccumulateGrad".into());
    names
}

/// Kernels: templates of several hundred letters, matrix products, fused ones.
pub(super) fn kernels() -> Vec<String> {
    let mut names = Vec::new();
    for kind in ["float", "c10::Half", "c10::BFloat16"] {
        for functor in FUNCTORS.map(|functor| functor.replace("{t}", kind)) {
            for width in [1, 2, 4] {
                let array = format!("at::detail::Array<char*, {}>", width.max(2));
                names.push(format!(
                    "void at::native::vectorized_elementwise_kernel<{width}, {functor}, {array} >(int, {functor}, {array})"
                ));
            }
            names.push(format!(
                "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<{kind}, {functor}, unsigned int, {kind}, 4> \
                 >(at::native::ReduceOp<{kind}, {functor}, unsigned int, {kind}, 4>)"
            ));
        }
        for tile in ["64x64", "64x128", "128x64", "128x128", "128x256", "256x128"] {
            for layout in ["nn", "nt", "tn"] {
                let kind = kind.trim_start_matches("c10::").to_lowercase();
                names.push(format!("ampere_{kind}_s16816gemm_{kind}_{tile}_ldg8_f2f_stages_32x5_{layout}"));
            }
        }
        names.push(format!("void (anonymous namespace)::softmax_warp_forward<{kind}, {kind}, float, 10, false, false>({kind}*)"));
    }
    names.extend((0..40).map(|i| format!("triton_poi_fused_add_mul_native_layer_norm_{i}")));
    names
}

/// Python frames by four: the module, what calls it, its own function, what that calls in C++.
pub(super) fn frames() -> Vec<String> {
    let model = "transformers/models/llama/modeling_llama.py";
    let of = |(number, module): (usize, &str)| {
        [
            format!("nn.Module: {module}_{number}"),
            format!("torch/nn/modules/module.py({}): _call_impl", 1501 + number % 3),
            format!("{model}({}): forward", 100 + 17 * number),
            format!("<built-in method linear of type object at 0x7f{:010x}>", 7919 * number),
        ]
    };
    MODULES.split_whitespace().cycle().take(45).enumerate().flat_map(of).collect()
}
