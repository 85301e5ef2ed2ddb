"""The table of `absent`: names of MindSpore that do not exist here, by reason and module."""

from __future__ import annotations

# By reason: the names of each module of MindSpore ("mindspore" is its top).
FAMILIES: dict[str, dict[str, str]] = {
    "Of what ranks communicate by there is ops.AllReduce and its like, communication and mint.distributed.": {
        "ops": """
            AllGatherV AlltoAllV AlltoAllVC
            BatchISendIRecv CollectiveGather CollectiveScatter
            NeighborExchange NeighborExchangeV2 Reduce
            ReduceScatterV TCPStore all_to_all_v_c set_comm_ops_inplace
            all_gather_matmul matmul_reduce_scatter""",
    },
    "It distributes a network over devices, and cellgrad computes on one.": {
        "ops": """
            Reshard reshard distribute moe_distribute_combine moe_distribute_dispatch""",
        "nn": """
            AdaSumByDeltaWeightWrapCell AdaSumByGradWrapCell GradAccumulationCell
            MicroBatchInterleaved PipelineCell PipelineGradReducer
            VirtualDatasetCellTriple no_init_parameters""",
        "train": """
            build_searched_strategy merge_sliced_parameter load_distributed_checkpoint
            restore_group_info_list get_ckpt_path_with_strategy export_split_mindir""",
        "mindspore": """
            Layout build_searched_strategy get_algo_parameters
            load_distributed_checkpoint
            merge_pipeline_strategys merge_sliced_parameter parameter_broadcast
            rank_list_for_transform reset_algo_parameters
            restore_group_info_list set_algo_parameters
            shard sync_pipeline_shared_parameters load_segmented_checkpoints
            get_ckpt_path_with_strategy export_split_mindir""",
    },
    "It is made for Ascend processors, and cellgrad computes on others.": {
        "ops": """
            ApplyRotaryPosEmb BasicLSTMCell DynamicGRUV2 DynamicRNN
            FusedWeightScaleApplyMomentum GroupTopk
            NPUAllocFloatStatus NPUClearFloatStatus NPUGetFloatStatus FloatStatus
            PagedAttention PagedAttentionMask ReshapeAndCache RNNTLoss CopyWithSlice
            DropoutGenMask DropoutDoMask SubAndFilter add_layer_norm add_rms_norm
            flash_attention_score fused_infer_attention_score incre_flash_attention
            lightning_indexer moe_init_routing_v2 moe_token_permute
            moe_token_unpermute multi_scale_deformable_attn_function nsa_compress
            nsa_compress_attention nsa_select_attention prompt_flash_attention
            ring_attention_update rotary_position_embedding rotated_iou
            sparse_flash_attention speed_fusion_attention SampleDistortedBoundingBoxV2
            ScaleAndTranslate MapUniform MapCacheIdx""",
        "nn": """
            OptTFTWrapper""",
        "train": """
            OnRequestExit async_ckpt_thread_status load_checkpoint_async""",
        "mindspore": """
            OnRequestExit async_ckpt_thread_status load_checkpoint_async
            mindio_preload set_mindio_server_info dispatch_threads_num launch_blocking
            set_kernel_launch_capture set_kernel_launch_group set_cpu_affinity""",
        "common": """
            mindio_preload set_mindio_server_info""",
    },
    "It registers kernels of MindSpore's own; write a rule with ops.custom_vjp, or compose operations.": {
        "ops": """
            AiCPURegOp AkgAscendRegOp AkgGpuRegOp CpuRegOp CustomRegOp CustomOpBuilder
            DataType TBERegOp PyExecute custom_info_register ms_kernel
            op_info_register vm_impl_registry get_vm_impl_fn prim_arg_register
            tensor_operator_registry
            Custom kernel""",
    },
    "It is a node of MindSpore's compiler, and means nothing outside of it.": {
        "ops": """
            DynamicShape GeSwitch geswitch Merge merge UpdateState array_reduce
            broadcast_gradient_args embed env_get environ_add environ_create
            environ_get environ_set hastype is_dynamic_sequence_element_unknown
            is_sequence_shape_unknown is_sequence_value_unknown is_tensor_bool_cond
            iter_converter make_map_parameter ms_hasnext ms_next recompute_block
            ref_to_embed SliceGetItem ParallelConcat TransposeExtView TransposeView
            SelectView DtypeToEnum inplace_sigmoid add_flags""",
    },
    "It writes files for MindInsight; train.SummaryRecord writes numbers in TensorBoard's format.": {
        "train": """
            SummaryLandscape""",
        "mindspore": """
            SummaryLandscape""",
    },
    "It is a debugging tool of MindSpore's runtime; print values, or use a Python profiler.": {
        "ops": """
            DumpGradient TensorDump tensordump""",
        "train": """
            FlopsUtilizationCollector TrainFaultTolerance""",
        "mindspore": """
            FlopsUtilizationCollector TrainFaultTolerance flops_collection
            set_dump get_log_config""",
        "common": """
            flops_collection set_dump""",
    },
    "There is no parameter server.": {
        "ops": """
            Pull Push""",
        "mindspore": """
            get_ps_context set_ps_context""",
    },
    "Data sets have no queue on a device; iterate over the data set.": {
        "ops": """
            GetNext""",
        "nn": """
            GetNextSingleOp""",
        "train": """
            DatasetHelper connect_network_with_dataset data_sink""",
        "mindspore": """
            DatasetHelper connect_network_with_dataset data_sink""",
    },
    "It belongs to the THOR optimizer, which MindSpore has for Ascend and GPU only.": {
        "nn": """
            Conv2dThor DenseThor EmbeddingLookupThor EmbeddingThor thor""",
    },
    "It simulates quantized layers, which do not exist here; put Dense, Conv2d and BatchNorm2d together.": {
        "nn": """
            Conv2dBnAct DenseBnAct""",
    },
    "MindIR files are not read; export models with ms.export.": {
        "mindspore": """
            load_mindir save_mindir""",
        "common": """
            load_mindir save_mindir""",
    },
    "It converts networks or checkpoints for distributed or Ascend training.": {
        "train": """
            ConvertModelUtils ConvertNetUtils""",
        "mindspore": """
            ConvertModelUtils ConvertNetUtils transform_checkpoint_by_rank
            transform_checkpoints unified_safetensors load_obf_params_into_net
            obfuscate_ckpt""",
    },
    "There are no streams and memory pools to manage; the compiler plans memory.": {
        "mindspore": """
            DeviceCtx Event MemPool PluggableAllocator Stream StreamCtx StreamLimitCtx
            UntypedStorage communication_stream current_stream default_stream
            empty_cache get_stream_limit max_memory_allocated max_memory_reserved
            memory_allocated memory_replay memory_reserved memory_stats memory_summary
            ms_memory_recycle reset_max_memory_allocated reset_max_memory_reserved
            reset_peak_memory_stats reset_stream_limit set_cur_stream set_stream_limit
            swap_tensors synchronize use_mem_pool set_memory get_device_limit
            set_device_limit get_current_device""",
        "common": """
            DeviceCtx ms_memory_recycle swap_tensors""",
    },
    "It rewrites MindSpore's own graphs.": {
        "mindspore": """
            Node NodeType ScopedValue SymbolTree""",
    },
    "Shapes are static here: a function compiles once for each.": {
        "mindspore": """
            enable_dynamic""",
        "common": """
            enable_dynamic""",
    },
    "It is MindSpore's layer for Ascend under an inner name; mint and mint.nn have it.": {
        "nn": """
            AvgPool1dExt AvgPool2dExt AvgPool3dExt Dropout2dExt DropoutExt EmbeddingExt L1LossExt
            LayerNormExt MaxPool2dExt PReLUExt""",
        "ops": "adaptive_avg_pool2d_ext baddbmm_ext bernoulli_ext mse_loss_ext",
    },
    "It belongs to the way in which MindSpore stores tensors and moves them between devices.": {
        "Tensor": """
            assign_value_cpp convert_bytes_to_tensor data_sync delta_seed flush_from_cache
            getitem_index_info index_of_parent_ init_finished init_flag is_init is_pinned is_shared
            move_to offload offload_file_path param_info parent_tensor_ pin_memory set_cast_dtype
            set_device_address set_init_flag set_param_info setitem_index_info storage
            symbolic_shape untyped_storage virtual_flag wait_pipeline
            delete_ init remove_hook requires_grad_ set_ to_""",
        "ops": """
            move_to MoveTo""",
    },
    "It is a number format of Ascend processors.": {
        "mindspore": "QuantDtype float8_e4m3fn float8_e5m2 hifloat8 qint4x2",
        "common": """
            QuantDtype float8_e4m3fn float8_e5m2 hifloat8 qint4x2""",
    },
    "What differentiation keeps is decided by the compiler; ms.recompute says what it computes again.": {
        "mindspore": "register_saved_tensors_hooks saved_tensors_hooks",
        "common": "register_saved_tensors_hooks saved_tensors_hooks",
    },
    "Rows and matrices with few elements are dense here, or a COOTensor or CSRTensor.": {
        "mindspore": "RowTensor SparseTensor",
        "common": "RowTensor SparseTensor",
        "ops": "SparseSlice make_row_tensor make_sparse_tensor",
    },
    "It draws classes by a table of its own; see ops.log_uniform_candidate_sampler.": {
        "nn": "SampledSoftmaxLoss",
    },
}

# As `FAMILIES`, of modules and names that MindSpore does not document, and programs import.
INNER: dict[str, dict[str, str]] = {
    "It is inside of MindSpore's compiler and runtime, which have no part here.": {
        "mindspore": """
            _c_dataengine _c_mindrecord _akg _deprecated graph rewrite tools utils""",
        "common": "_register_for_tensor",
        "common.api": "_JitExecutor",
        "context": "K_CONTEXT _context get_jit_config",
        "ops": "_op_impl _vmap",
        "train": "_utils",
        "train.callback": "_checkpoint_cb_for_save_op _set_cur_net",
    },
    "It sets Ascend processors, and cellgrad computes on others.": {
        "device_context": "ascend",
    },
    "It asks for devices and their memory; see ms.runtime and ms.device_context.": {
        "mindspore": "hal",
    },
}
