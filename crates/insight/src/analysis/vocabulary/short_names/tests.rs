//! What names become, alone and together, and that odd names have a form.

use proptest::prelude::*;

use super::*;
use proftui_trace::import::{Progress, Request, load_bytes};

/// The short forms of these names, as of one trace.
fn together(names: &[&str]) -> Vec<String> {
    let form = |name: &&str| {
        let source = name::source(name);
        Form { name: (*name).to_owned(), short: name::short(&source), source }
    };
    let mut forms: Vec<Form> = names.iter().map(form).collect();
    make_distinct(&mut forms);
    forms.into_iter().map(|form| form.short).collect()
}

#[test]
fn functions_are_shown_without_their_noise() {
    for (name, shown) in [
        (
            "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, c10::BFloat16, float, c10::BFloat16, at::native::(anonymous namespace)::SoftMaxForwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, int)",
            "softmax forward bf16",
        ),
        (
            "void (anonymous namespace)::softmax_warp_forward<float, float, float, 9, false, false>(float*, float const*, int, int, int, bool const*, int, bool)",
            "softmax_warp_forward f32",
        ),
        (
            "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<float, float>(long, long, float const*, float*)",
            "gamma beta backward f32",
        ),
        (
            "void cudnn::engines_precompiled::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float, false, true, (cudnnKernelDataType_t)0>(cudnn::engines_precompiled::nchw2nhwc_params_t<float>, __nv_bfloat16 const*, __nv_bfloat16*)",
            "cudnn nchw to nhwc bf16",
        ),
        (
            "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, int, int, float const*, int)",
            "cudnn dgrad f32",
        ),
        (
            "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, __nv_bfloat16, float, false, true, 7>(cublasGemvParams<__nv_bfloat16>)",
            "gemvx bf16",
        ),
        (
            "std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long)",
            "fused_add_rms_norm bf16",
        ),
        (
            "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 3, 128, 1>(float*)",
            "cat f32",
        ),
        (
            "void linearize_index_kernel<long>(at::GenericPackedTensorAccessor<long, 1ul>)",
            "linearize_index i64",
        ),
        (
            "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_PfS4_S4_S4_diiiiiiib",
            "add_rmsnorm_quant bf16",
        ),
        ("_ZN3own4math10act_kernelIfTnPFT_E", "act"),
        ("at::cuda::(anonymous namespace)::spin_kernel(long)", "spin"),
        ("sage_quant_kernel", "sage_quant_kernel"),
        ("_topk_forward", "_topk_forward"),
        ("reduce_segments", "reduce_segments"),
        ("Copy of the weights (large)", "Copy of the weights (large)"),
        ("Copy by a::b of (c)", "Copy by a::b of (c)"),
        ("kernel", "kernel"),
        ("void ", "void "),
        ("", ""),
    ] {
        assert_eq!(short(name), shown, "{name}");
    }
}

#[test]
fn wrappers_are_shown_as_what_they_apply() {
    for (name, shown) in [
        (
            "void at::native::vectorized_elementwise_kernel<8, at::native::AUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul> >(int, std::array<char*, 2ul>)",
            "mul bf16",
        ),
        (
            "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&, int const&)::{lambda(int)#1}>(int, int)",
            "copy bf16",
        ),
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int)",
            "gelu bf16",
        ),
        (
            "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16, at::native::MeanOps<c10::BFloat16, float, float, c10::BFloat16>, unsigned int, c10::BFloat16, 4> >(int)",
            "mean bf16 reduce",
        ),
        (
            "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<long, at::native::func_wrapper_t<long, at::native::sum_functor<long, long, long>::operator()(at::TensorIterator&)::{lambda(long, long)#1}>, unsigned int, long, 4> >(int)",
            "sum i64 reduce",
        ),
        (
            "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<float>, float>(int)",
            "foreach add f32",
        ),
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>, std::array<char*, 1ul> >(int)",
            "fill i32",
        ),
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::nan_to_num_kernel_cuda(at::TensorIteratorBase&, c10::optional<double>)::{lambda()#1}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int)",
            "nan_to_num f32",
        ),
        (
            "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<2>, at::native::BinaryOpScalarFunctor<float> >(int)",
            "foreach binary op scalar f32",
        ),
        (
            "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<cutlass::bfloat16_t> > >(flash::Params)",
            "flash attn fwd sm90 bf16",
        ),
        (
            "void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange_cuda_out(c10::Scalar const&)::{lambda()#1}::operator()() const::{lambda(long)#1}>(int)",
            "arange i64",
        ),
    ] {
        assert_eq!(short(name), shown, "{name}");
    }
}

#[test]
fn names_of_a_scheme_are_shown_by_kind_type_and_tile() {
    for (name, shown) in [
        (
            "void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nt_align1>(cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nt_align1::Params)",
            "gemm bf16 256x128 nt align1",
        ),
        (
            "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_64x1_tn_align8>(int)",
            "gemm bf16 16x16 tn align8",
        ),
        (
            "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x4_nt_align1>(int)",
            "gemm tf32 128x128 nt align1",
        ),
        (
            "void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(int)",
            "gemm f32 128x32 nn align1",
        ),
        (
            "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_f16_s16816fprop_optimized_f16_256x64_32x4_nhwc_align8>(int)",
            "conv fprop f16 256x64 nhwc align8",
        ),
        (
            "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
            "gemm bf16 64x128x64 sm90",
        ),
        (
            "sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x64x16_kernel_cudnn",
            "conv dgrad tf32 128x64x16 sm80",
        ),
        ("volta_scudnn_128x64_relu_interior_nn_v1", "conv f32 128x64 volta relu interior nn"),
        (
            "cudnn_infer_volta_scudnn_winograd_128x128_ldg1_relu_nt_v1",
            "conv f32 128x128 volta winograd ldg1 relu nt",
        ),
        ("ampere_sgemm_128x64_nn", "gemm f32 128x64 ampere nn"),
        ("turing_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn", "gemm f16 128x128 turing ldg8 f2f tn"),
        (
            "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN_LDSB1_AFC1",
            "gemm bf16 128x256x32 hipblaslt",
        ),
        ("igemm_wrw_gtcx3_nhwc_fp16_bx0_ex1_bt64x128x32_wt32x32x8_ws1x1", "conv wrw f16 64x128x32 nhwc"),
        ("nvjet_tst_64x16_64x16_2x4_2cta_h_bz_bias_TNT", "gemm bf16 64x16 TNT nvjet"),
        (
            "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
            "nccl AllReduce f32 ring",
        ),
        (
            "ncclDevKernel_ReduceScatter_Sum_bf16_TREE_LL(ncclDevKernelArgsStorage<4096ul>)",
            "nccl ReduceScatter bf16 tree",
        ),
        ("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", "nccl Generic"),
        (
            "triton_red_fused__unsafe_view_add_addmm_mul_native_layer_norm_split_19",
            "fused view add addmm mul layer_norm split #19",
        ),
    ] {
        assert_eq!(short(name), shown, "{name}");
    }
}

#[test]
fn equal_forms_get_back_what_differs() {
    let dgrad = |numbers: &str| {
        format!("void cudnn::detail::dgrad_engine<float, {numbers}, 3, 3, 3, false>(int, float)")
    };
    let [a, b, c] = [dgrad("128, 6, 7"), dgrad("512, 6, 5"), dgrad("128, 5, 5")];
    assert_eq!(
        together(&[&a, &b, &c]),
        ["cudnn dgrad f32 ‹128,6›", "cudnn dgrad f32 ‹512,6›", "cudnn dgrad f32 ‹128,5›"]
    );
    assert_eq!(together(&[&a, &b]), ["cudnn dgrad f32 ‹128›", "cudnn dgrad f32 ‹512›"]);
    assert_eq!(together(&[&a]), ["cudnn dgrad f32"]);
    // Where words do not differ, or a name looks like a form, the whole name is shown.
    assert_eq!(
        together(&["void f_kernel(int*)", "void f_kernel(int&)", "f"]),
        ["void f_kernel(int*)", "void f_kernel(int&)", "f"]
    );
    assert_eq!(together(&["void fill<float>(int)", "fill f32"]), ["fill f32 ‹i32›", "fill f32"]);
}

#[test]
fn only_names_of_kernels_are_shortened_but_none_of_the_user() {
    let event = |cat: &str, name: &str, tid: u32| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":0,"tid":{tid},"ts":1,"dur":2,"args":{{"stream":{tid}}}}}"#
        )
    };
    let events = [
        event("kernel", "void a_kernel<float>(int)", 7),
        event("kernel", "void b_kernel<float>(int)", 8),
        event("cpu_op", "void c_kernel<float>(int)", 1),
    ];
    let text = format!("[{}]", events.join(","));
    let mut trace =
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
    trace.rename_work(|old| old.starts_with("void b").then(|| "my_kernel".to_owned()));
    let short = ShortNames::of(&trace);
    let of = |name: &str| short.of_text(&SafeText::new(name)).map(ToString::to_string);
    assert_eq!(of("void a_kernel<float>(int)").as_deref(), Some("a f32"));
    assert_eq!((of("my_kernel"), of("void c_kernel<float>(int)"), of("unknown")), (None, None, None));
}

proptest! {
    #[test]
    fn different_names_have_different_forms(
        names in prop::collection::hash_set("(void )?(a::)?(f|g|_f|f_kernel|dgrad_engine|triton_poi_fused_|volta_sgemm_)(<(4|8|float|c10::Half)?,? ?(1|2)?>)?(\\(int\\*?\\))?(_1)?", 1..30),
    ) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let forms = together(&names);
        let distinct: std::collections::HashSet<&String> = forms.iter().collect();
        prop_assert_eq!(distinct.len(), names.len(), "{:?} of {:?}", forms, names);
    }

    #[test]
    fn hostile_names_have_a_form(name in "(_Z|void |triton_a_fused_|std::enable_if<)?[a-zA-Z_0-9<>(){}:, ‹é\\PC]{0,60}", bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        prop_assert_eq!(short(&name).is_empty(), name.is_empty(), "{}", name);
        let bytes = [&b"_ZN"[..], &bytes].concat();
        let _ = short(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn long_names_cost_no_more_than_their_length() {
    for part in ["(", "f<", "a::", "{lambda(", "_x_", "gemm_", "aB", "_kernel"] {
        let name = part.repeat(LONGEST / part.len());
        assert!(!short(&name).is_empty());
        let other = name.clone() + "1";
        assert_eq!(together(&[&name, &other]).len(), 2);
    }
}
