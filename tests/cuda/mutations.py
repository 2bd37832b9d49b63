"""Breaks device code in one place at a time and reports which test of the simulated devices fails.

    mutations.py BUILD_FOLDER [NAME...]

BUILD_FOLDER is a configured build that contains simulated_cuda_tests. A mutation replaces a text that occurs exactly once in a
file, and the file is restored afterwards. The exit code is 1 if no test fails for a mutation, or if its text is not found.
"""

import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]

HASH, TEXT, SLOTS = "hashing/cuda/device_hash.cu", "hashing/cuda/device_text.cuh", "sparse/cuda/device_slots.cu"
PRODUCT, NCCL, SUM = "sparse/cuda/sparse_product.cpp", "parallel/cuda/nccl_link.cpp", "parallel/cuda/piece_sums.cu"
CHANNEL, PAIRS = "parallel/cuda/nccl_channel.cpp", "parallel/cuda/pairwise_sum.cuh"
QUEUE = "parallel/cuda/nccl_channel.hpp"
GPU, HOST, TEAM = ("parallel/cuda/device_collectives.cu", "parallel/cuda/host_collectives.cpp",
                   "parallel/group_communicator.cpp")
GRADIENT, HALVES = "src/network/cuda/first_layer_gradient.cu", "src/network/cuda/half_sums.cuh"
STAGED, PLAN = "src/network/cuda/staged_rows.cpp", "src/network/cuda/slot_plan_copy.cpp"
COLUMNS, TILES = "src/network/cuda/row_columns.cuh", "src/network/cuda/scatter_tiles.cpp"
SHARES, BLOCK = "src/network/cuda/tile_shares.cpp", "src/network/cuda/block_sum.cuh"
LINEAR, FIXED = "src/network/cuda/linear_pass.cu", "src/network/cuda/fixed_point.cuh"
UPDATE, REPLICA = "src/network/cuda/update.cu", "src/network/cuda/cuda_replica.cpp"
LAYERS, GATE = "src/network/cuda/layers.cu", "src/base/cuda/memory_gate.hpp"
BEGUN, RUNS = "src/network/cuda/begun_steps.hpp", "src/network/cuda/update_runs.cpp"
OUTPUT, LOSSES, TAIL = "src/network/cuda/output_pass.cu", "src/network/cuda/loss_sums.cuh", "src/network/cuda/tail.cpp"

# (name, file, original text, replacement)
MUTATIONS = [
    # Hashing
    ("a word at an odd place is shifted the wrong way", TEXT, "low >> shift | aligned", "low << shift | aligned"),
    ("the tail takes one word only", TEXT, "if (skipped + count > 8) bytes |=", "if (skipped + count > 9) bytes |="),
    ("the tail is not masked", TEXT, "return bytes & ((std::uint64_t{1} << (8 * count)) - 1);", "return bytes;"),
    ("whole words are read behind the buffer", TEXT, "at >= buffer_ && at + 8 <= buffer_end_", "at >= buffer_"),
    ("bytes behind the buffer are read", TEXT, "if (at + k < buffer_ || at + k >= buffer_end_) continue;",
     "if (at + k < buffer_) continue;"),
    ("the bitmap is read from the highest bit", HASH, "column.valid[row / 8] >> (row % 8) & 1",
     "column.valid[row / 8] >> (7 - row % 8) & 1"),
    ("what is missing is hashed as its own text", HASH, "return {xxh64(NoText{}, seed), true};\n  return {xxh64(text, seed), false};",
     "return {xxh64(text, seed), true};\n  return {xxh64(text, seed), false};"),
    ("missing texts are compared without their length", HASH, "missing.lengths[i] == length && ", ""),
    ("missing texts are compared in eight bytes only", HASH, "missing.words[i][1] == second)", "(missing.words[i][1] == second || true))"),
    ("sixteen bytes are too long for a missing text", HASH, "length > MissingTexts::max_bytes", "length >= MissingTexts::max_bytes"),
    ("fixed texts end one byte early", HASH, "(row + 1) * column.value_bytes)", "(row + 1) * column.value_bytes - 1)"),
    ("signed numbers are read as unsigned", HASH, "number_at<int>(column, row)", "number_at<unsigned>(column, row)"),
    ("missing values are not reported", HASH, "is_missing[row] = hashed.is_missing;", "is_missing[row] = false;"),
    ("columns hashed together are all the first", HASH, "together.columns[blockIdx.y];", "together.columns[0];"),
    ("columns of one kind alone are hashed", HASH, "for (const DeviceValues kind : cuda::all_kinds) {",
     "for (const DeviceValues kind : std::span(cuda::all_kinds).first(1)) {"),
    # Codes
    ("splits come in the other order", SLOTS, "const auto split = static_cast<std::uint32_t>(hash >> (48 - 16 * k)) & 0xFFFF;",
     "const auto split = static_cast<std::uint32_t>(hash >> (16 * k)) & 0xFFFF;"),
    ("codes are stored before all are there", SLOTS,
     "    __syncthreads();\n    for (unsigned i = threadIdx.x; i < rows", "    for (unsigned i = threadIdx.x; i < rows"),
    ("the next tile begins before this one is stored", SLOTS, "    }\n    __syncthreads();\n  }\n}", "    }\n  }\n}"),
    ("the tile of shared memory is transposed", SLOTS, "codes = tile[row * tile_stride + j];", "codes = tile[j * tile_stride + row];"),
    ("the last tile is taken for a whole one", SLOTS, "if (lane >= rows) continue;", ""),
    ("columns of a split do not begin at its own", SLOTS, "k * target.width + buckets[k];", "buckets[k];"),
    ("absent values have a code", SLOTS, "if (is_absent) return ~std::uint64_t{0};", "if (is_absent && hash == 0) return ~std::uint64_t{0};"),
    ("absent values have a column", SLOTS, "*first = is_absent ? absent_column : target.remainder(hash);",
     "*first = target.remainder(hash);"),
    ("codes at odd places are stored as one word", SLOTS, "% sizeof codes == 0", "% 1 == 0"),
    ("slots of a feature lie in one row", SLOTS, "place + static_cast<std::uint64_t>(k) * out.slot_stride;",
     "place + static_cast<std::uint64_t>(k);"),
    ("codes of a byte change places", SLOTS, "(codes & 0xFF) | (codes >> 16 & 0xFF) << 8", "(codes >> 16 & 0xFF) | (codes & 0xFF) << 8"),
    ("codes of a byte begin where the row does", SLOTS, "words + shape.wide_codes + target.slot / 2", "words + target.slot / 2"),
    ("codes of a byte take two in their slots", SLOTS, "static_cast<std::uint8_t>(codes >> (16 * k));",
     "static_cast<std::uint8_t>(codes >> (8 * k));"),
    # cuSPARSE
    ("the dense matrices are column-major", PRODUCT, "CUSPARSE_ORDER_ROW", "CUSPARSE_ORDER_COL"),
    ("the row of a slice is as long as the slice", PRODUCT, "const DenseMatrix from(in_rows, width, units, in + first);",
     "const DenseMatrix from(in_rows, width, width, in + first);"),
    ("the row of a slice of the result is as long as the slice", PRODUCT, "const DenseMatrix to(out_rows, width, units, out + first);",
     "const DenseMatrix to(out_rows, width, width, out + first);"),
    ("every slice is the first", PRODUCT, "const DenseMatrix from(in_rows, width, units, in + first);",
     "const DenseMatrix from(in_rows, width, units, in);"),
    ("the product adds to what was there", PRODUCT, "run(x, false, w, units, 0.0f, y);", "run(x, false, w, units, 1.0f, y);"),
    ("the transposed product forgets what was there", PRODUCT, "run(x, true, d, units, 1.0f, g);", "run(x, true, d, units, 0.0f, g);"),
    ("alpha is two", PRODUCT, "const float alpha = 1;", "const float alpha = 2;"),
    ("nothing is transposed", PRODUCT, "is_transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;",
     "CUSPARSE_OPERATION_NON_TRANSPOSE;"),
    ("the sizes of in and out are exchanged", PRODUCT, "const SparseIndex in_rows = is_transposed ? x.num_rows : x.num_columns;",
     "const SparseIndex in_rows = is_transposed ? x.num_columns : x.num_rows;"),
    ("wide matrices go in one slice", PRODUCT, "const std::size_t width = std::min(units_at_once_, units - first);",
     "const std::size_t width = units - first;"),
    ("a matrix without entries leaves the result", PRODUCT, "if (beta != 0) return;", "return;"),
    ("a matrix without entries clears the sum", PRODUCT, "if (beta != 0) return;", ""),
    ("a product without workspace", PRODUCT, "workspace_.reserve(context_, bytes,", "workspace_.reserve(context_, 0 * bytes,"),
    ("the product runs on another stream", PRODUCT,
     'check_sparse(cusparseSetStream(handle_, context_.stream().get()), "cusparseSetStream");', ""),
    # Collectives on devices
    ("a rank sends the part of its neighbour", NCCL, "return [=](std::size_t r) { return values.part(offsets[r],",
     "return [=](std::size_t r) { return values.part(offsets[0],"),
    ("a few numbers are cut into parts", NCCL, "add_flat([&](std::size_t) { return values; }, values);",
     "add_flat([&](std::size_t r) { return values.part(0, r == channel_.rank() ? values.size : 1); }, values);"),
    ("parts are received on top of each other", NCCL, "channel_.received() + r * own.size, own.size, own.context}, r);",
     "channel_.received(), own.size, own.context}, r);"),
    ("a rank's own part is not among the sum", SUM, "r == own_part ? piece.own[i] : piece.parts", "piece.parts"),
    ("gathered parts lie where the first does", NCCL, "channel_.receive(part(r), r);",
     "channel_.receive({whole.data, part(r).size, whole.context}, r);"),
    ("a rank's own part is not gathered", NCCL, "if (own_place.data != own.data)", "if (false)"),
    ("the id is not told", CHANNEL, "control.broadcast<char>(id.internal, 0);", ""),
    ("every rank makes an id", CHANNEL, "if (control.rank() == 0) require(ncclGetUniqueId", "require(ncclGetUniqueId"),
    ("an empty part is sent and not received", CHANNEL, "  if (values.size == 0) return;\n  require(\n      ncclSend", "  require(\n      ncclSend"),
    ("memory of a failed collective is given back while it runs", CHANNEL, "  give_up(context);\n", "  (void)context;\n"),
    ("room for one part", NCCL, "(offsets[channel_.rank() + 1] - offsets[channel_.rank()]) * channel_.num_ranks();",
     "(offsets[channel_.rank() + 1] - offsets[channel_.rank()]);"),
    ("nobody meets before a collective", QUEUE,
     "control_.barrier();\n      const cuda::MemoryGate::Start start(cuda::MemoryGate::of_process());\n      control_.barrier();", ""),
    ("bytes are not counted", CHANNEL, "  bytes_sent_ += values.size * sizeof(float);\n  if", "  if"),
    ("ranks that share a GPU are not noticed", NCCL, "seat->is_on_gpu_of(*other)", "false"),
    ("ranks that share a process are not noticed", NCCL, "seat->is_in_process_of(*other)", "false"),
    ("nobody meets after a collective is started", CHANNEL, "if (share_process_) control_.barrier();", ""),
    ("NCCL's failures pass", CHANNEL, "if (result == ncclSuccess) return;", "return;"),
    ("the order of sums is NCCL's", NCCL, "if (order_ == SumOrder::any)", "if (true)"),
    ("host by host: what neighbours send is added in another order", NCCL,
     "cuda::add_pieces(pieces, hosts_.ranks_per_host(), place(),", "cuda::add_pieces(pieces, hosts_.ranks_per_host(), 0,"),
    ("host by host: room for one neighbour", NCCL, "return numbers_of_place(offsets) * hosts_.ranks_per_host();",
     "return numbers_of_place(offsets);"),
    ("host by host: no room for a part of every host", NCCL, "return std::max(all, own * hosts_.num_hosts());",
     "return all + 0 * own;"),
    ("host by host: neighbours' parts lie on top of each other", NCCL, "          to += pieces[h].count;\n", ""),
    ("host by host: sums of hosts replace those of this one", NCCL, "slot(place() == 0 ? 1 : 0);", "slot(place());"),
    ("host by host: one host is left out", NCCL,
     "cuda::add_pieces({&sum, 1}, hosts_.num_hosts(), host(), own.size,", "cuda::add_pieces({&sum, 1}, hosts_.num_hosts() - 1, host(), own.size,"),
    ("host by host: a neighbour gets a part of its own", NCCL,
     "channel_.send(part(hosts_.rank_at(h, place())), hosts_.rank_at(host(), p));",
     "channel_.send(part(hosts_.rank_at(h, p)), hosts_.rank_at(host(), p));"),
    ("sums go host by host where hosts are mixed", NCCL, "return hosts_.is_even() && offsets", "return offsets"),
    ("sums never go host by host", NCCL, "return hosts_.is_even() && offsets", "return false && offsets"),
    ("what others wait for is not ended", TEAM, "[this] { nccl_->cut_off(); });", "[] {});"),
    ("who was cut off blames the numbers", "parallel/device_team.cpp", "if (!is_first && communicator.is_cut_off())", "if (false)"),
    ("who was cut off is not told by whom", CHANNEL, "  control_.barrier();  // throws the failure of the rank that failed\n", ""),
    ("pieces beyond the first launch are forgotten", SUM, "pieces = pieces.subspan(now.size());", "pieces = {};"),
    ("pairs: zeros stand for what is missing", PAIRS, ": -0.0f;", ": 0.0f;"),
    ("pairs: eights are added one after another", PAIRS, "((done >> k) & 1) != 0; ++k)", "((done >> k) & 1) != 0 && k < 1; ++k)"),
    ("pairs: of the eights only the last lot counts", PAIRS, "for (++k; eights >> k != 0; ++k) {", "for (++k; false; ++k) {"),
    ("pairs: four numbers in a row", PAIRS, "((x[0] + x[1]) + (x[2] + x[3]))", "(((x[0] + x[1]) + x[2]) + x[3])"),
    ("threads of one GPU: the sum forgets the last", GPU, "cuda::pairwise_sum(parts.count,", "cuda::pairwise_sum(parts.count - 1,"),
    ("threads of one GPU: parts are collected to the front", GPU, "float* const to = whole.data + offsets[r];",
     "float* const to = whole.data;"),
    ("threads of one GPU: work is not done when others read it", GPU, "  context->make_current();\n  context->stream().synchronize();",
     "  context->make_current();"),
    ("threads of one GPU: the sum is not done when others read it", GPU,
     "parts, sums.size, sums.data);\n  context.stream().synchronize();", "parts, sums.size, sums.data);"),
    ("threads of one GPU: nobody waits for those who read", GPU, "  add_parts(context, from, own);\n  transport.finish();",
     "  add_parts(context, from, own);"),
    ("by way of the host: copies are not waited for", HOST,
     "host.first(values.size), values.context->stream());\n  values.context->stream().synchronize();",
     "host.first(values.size), values.context->stream());"),
    ("by way of the host: the result is not stored", HOST, "  all_reduce(host);\n  store(host, values);", "  all_reduce(host);"),
    ("offsets are not looked at", TEAM, "offsets.back() != count) {", "false) {"),
    # The gradient's sums in shared memory
    ("the carry is forgotten", HALVES, "static_cast<unsigned>(value[i] >> 32) + carry", "static_cast<unsigned>(value[i] >> 32) + 0 * carry"),
    ("a wrap to the same value is carried", HALVES, "before[i] + static_cast<unsigned>(value[i]) < before[i]", "before[i] + static_cast<unsigned>(value[i]) <= before[i]"),
    ("the halves are exchanged", HALVES, "static_cast<unsigned long long>(high) << 32 | low", "static_cast<unsigned long long>(low) << 32 | high"),
    ("codes of a byte are not gathered", COLUMNS, "add_slots(plan.byte_codes, plan.num_byte_codes, rows.byte_codes);", ""),
    ("codes of a byte have no gradient", TILES, "add(SlotContents::byte_code, plan.byte_codes());", ""),
    ("rows of bytes are as long as words", STAGED, "std::uint64_t{layout.code_stride} * sizeof(std::uint16_t)",
     "std::uint64_t{layout.code_stride}"),
    ("codes of a byte begin where the row does in memory", STAGED, "words + layout.wide_codes", "words"),
    ("codes of a byte have the slots of the others", PLAN, "device_.codes + codes_.size()", "device_.codes"),
    ("half of the sums begin as they are", GRADIENT, "i < 2 * size; i += blockDim.x) low[i] = 0;", "i < size; i += blockDim.x) low[i] = 0;"),
    ("the halves overlap", GRADIENT, "unsigned* const high = low + size;", "unsigned* const high = low + 1;"),
    ("a block asks for more shared memory than there is", TILES, "(context.max_shared_bytes() + system_bytes) / blocks - system_bytes;",
     "(context.max_shared_bytes() + system_bytes) * 2 + 0 * blocks;"),
    ("units that are not there have sums", GRADIENT, "  if (unit >= units) return;\n  const std::uint32_t rows_at_once", "  const std::uint32_t rows_at_once"),
    ("rows of a share reach into the next", GRADIENT, "row_at(num_rows, share.end)", "num_rows"),
    ("a block goes on with no further tile", GRADIENT, "if (share.next == 0) return;", "return;"),
    ("the next tile begins before this one's sums are added up", GRADIENT, "    place_of_share = share.next;\n    __syncthreads();\n",
     "    place_of_share = share.next;\n"),
    ("more blocks than there is room for", GRADIENT, "std::max(blocks, 1) * context.num_multiprocessors()",
     "(std::max(blocks, 1) + 1) * context.num_multiprocessors()"),
    ("blocks are as many as devices of 2,048 threads have", GRADIENT, "std::max(blocks, 1) * context", "4 * context"),
    ("a few rows are not divided as many are", TILES, "std::clamp(bits, fewest_row_bits, most_row_bits)", "std::clamp(most_row_bits + 0 * bits, fewest_row_bits, most_row_bits)"),
    ("shares are of rows and not of work", SHARES, "(most - used - of_sums) / tile.num_units", "(most - used - of_sums) / 1"),
    ("what a block goes on with is lost", SHARES, "    of_block = division.shares.size();\n", ""),
    ("the sums of a tile cost nothing", SHARES, "return (once + once * tile.copies) * whole_share / num_rows;", "return 0 * (once + once * tile.copies) * whole_share / num_rows;"),
    ("one of the rows in flight is forgotten", GRADIENT, "contents += rows_in_flight * rows_at_once", "contents += (rows_in_flight + 1) * rows_at_once"),
    ("deltas do not move on with the rows", GRADIENT, "deltas += rows_in_flight * delta_step;", ""),
    ("a row too few is counted", GRADIENT, "(end_row - row + rows_at_once - 1) / rows_at_once", "(end_row - row) / rows_at_once"),
    ("sums are added up before all rows are", GRADIENT, "    __syncthreads();\n\n    // The lanes of a warp", "\n    // The lanes of a warp"),
    ("a copy is not added up", GRADIENT, "for (std::uint32_t distance = tile.num_units; distance < width;", "for (std::uint32_t distance = 2 * tile.num_units; distance < width;"),
    ("copies lie where other columns do", GRADIENT, "low += threadIdx.x % width;", "low += threadIdx.x % (2 * width);"),
    ("rows without a value add to the last column", GRADIENT, "min(content, tile.num_columns) * width", "min(content, tile.num_columns - 1) * width"),
    ("rows beyond the last four are forgotten", GRADIENT, "for (; left > 0; --left)", "for (; left > 3; --left)"),
    ("every copy is added to the device's sums", GRADIENT, "sum == 0 || !is_first_copy ||", "sum == 0 || (!is_first_copy && i > end) ||"),
    ("large tiles get the memory of small ones", TILES, "shared_bytes_ = std::max(shared_bytes_, bytes_of(tile))", "shared_bytes_ = bytes_of(tiles_[0]) + 0 * bytes_of(tile)"),
    ("slots that fit no tile are forgotten", TILES, "has_rest_ = has_rest_ || slot.num_columns > most_columns_;", ""),
    ("a delta has a bit more than there is room for", FIXED, "(term_bits < 11 ? 51 : 62 - term_bits)", "(term_bits < 11 ? 52 : 63 - term_bits)"),
    ("codes in flight are of one slot", COLUMNS, "loaded_slot(slots + min(first + k * own.parts, count - 1))", "loaded_slot(slots + min(first, count - 1))"),
    ("the last slot counts again", COLUMNS, "const bool is_slot = first + k * own.parts < count;", "const bool is_slot = true;"),
    ("absent codes have the weight of the last", COLUMNS, "weights[k] = Sum{};", "if (k == 0) weights[k] = Sum{};"),
    # The pass of a linear model
    ("a quarter of a row is not added", LINEAR, "(parts[2 * block_rows + lane] + parts[3 * block_rows + lane])", "parts[2 * block_rows + lane]"),
    ("a row is added up before its parts are there", LINEAR, "    __syncthreads();\n    if (is_row && own.part == 0)", "    if (is_row && own.part == 0)"),
    ("the next rows begin before these are added up", LINEAR, "    }\n    __syncthreads();\n  }\n  sums = block_sum", "    }\n  }\n  sums = block_sum"),
    ("a block of many is left out", LINEAR, "block < gridDim.x && threadIdx.x < block_rows", "block + 1 < gridDim.x && threadIdx.x < block_rows"),
    ("the first block adds up what all have", LOSSES, "== gridDim.x - 1", "== 0"),
    ("blocks are counted on from the last pass", LOSSES, "  status->blocks_done = 0;\n", ""),
    ("the largest delta is that of the first block", LOSSES, "  sums.largest_delta = max(sums.largest_delta, other.largest_delta);\n", ""),
    ("a loss that is not finite passes", LOSSES, "if (!is_finite(sums.loss)) status->outputs_not_finite = 1;", ""),
    ("a bias whose gradient is not finite passes", LOSSES, "if (!is_finite(*bias_gradient)) status->gradient_not_finite = 1;", ""),
    # The pass of an output after a hidden layer
    ("an output is added up before its activations are there", OUTPUT, "    __syncthreads();\n\n    float z = 0;", "    float z = 0;"),
    ("an output is finished before its parts are there", OUTPUT, "    __syncthreads();\n\n    if (part == 0 &&", "    if (part == 0 &&"),
    ("deltas go on before those of outputs are there", OUTPUT, "    __syncthreads();\n\n    // Each thread reads", "    // Each thread reads"),
    ("a quarter of an output is not added", OUTPUT, "(parts[2 * block_rows] + parts[3 * block_rows])", "parts[2 * block_rows]"),
    ("an output has no bias", OUTPUT, "parts[3 * block_rows]) + *tensors.bias;", "parts[3 * block_rows]);"),
    ("a hidden layer has no bias", OUTPUT, "units + unit] + hidden_bias);", "units + unit] + 0 * hidden_bias);"),
    ("a pass activates as linear layers do", OUTPUT, "detail::activated(activation,", "detail::activated(ActivationKind::linear,"),
    ("a pass goes back through linear layers", OUTPUT, "detail::through_activation(activation,", "detail::through_activation(ActivationKind::linear,"),
    ("a pass adds up the last rows twice", OUTPUT, "min(rows.num_rows - first, std::uint64_t{block_rows})", "std::uint64_t{block_rows}"),
    ("losses and units share a place at one time", OUTPUT, "  sums = block_sum(sums, shared.loss_sums, pass_threads);\n  __syncthreads();\n", "  sums = block_sum(sums, shared.loss_sums, pass_threads);\n"),
    ("and in the last block", OUTPUT, "  whole = block_sum(whole, shared.loss_sums, pass_threads);\n  __syncthreads();\n", "  whole = block_sum(whole, shared.loss_sums, pass_threads);\n"),
    ("units of one block only are added up", OUTPUT, "first < gridDim.x && has_unit; first += loads_in_flight * turns", "first < 1 && has_unit; first += loads_in_flight * turns"),
    ("sums behind the last block are added up", OUTPUT, "block < gridDim.x ? stored_sums(", "true ? stored_sums("),
    ("sums of the first of eight blocks only are added up", OUTPUT, "for (const UnitSums& sums_of_block : stored) whole_unit += sums_of_block;", "whole_unit += stored[0];"),
    ("losses of one block only are added up", OUTPUT, "block < gridDim.x; block += pass_threads", "block < 1; block += pass_threads"),
    ("the gradient of a weight is not looked at", OUTPUT, "!is_finite(weight_gradient) || ", ""),
    ("the gradient of a hidden bias is not looked at", OUTPUT, " || !is_finite(bias_gradient)", ""),
    ("the largest delta of a pass is that of its first row", OUTPUT, "sums.largest_delta = max(sums.largest_delta, magnitude_bits(delta));", "if (row == turn && first == 0) sums.largest_delta = magnitude_bits(delta);"),
    ("a wide layer has room for a narrow one", OUTPUT, "std::size_t{block_rows} * stride(units)", "std::size_t{block_rows} * stride(units / 4)"),
    ("several outputs are taken for one", "src/network/cuda/tail.hpp", "return units_.back() == 1;", "return units_.back() > 0;"),
    ("a second hidden layer ends at the pass", TAIL, "    if (layer == 0) return;\n", "    return;\n"),
    ("hidden layers below a pass are not activated", TAIL, "parameters + bias(l - 1).begin, activation_,", "parameters + bias(l - 1).begin, ActivationKind::linear,"),
    ("of a tail in pieces the gradient is not looked at", TAIL, "  look_for_not_finite(context_, gradient, tensors_.back().begin + tensors_.back().size, status);\n", ""),
    # The update, and steps that the host looks at later
    ("a refused step moves", UPDATE, "if (refused || (keeps_rest", "if ((keeps_rest"),
    ("sums are there again in the next step", UPDATE, "      run.sums[i] = 0;\n", ""),
    ("sums that overflow pass", UPDATE, "const bool fits = !all.has_sums ||", "const bool fits = true || !all.has_sums ||"),
    ("nobody is told of sums that overflow", UPDATE, "status->gradient_not_finite = 1;", ""),
    ("biases are regularised", UPDATE, "run.regularise ? regularised : plain", "regularised"),
    ("every tensor begins where the first does", UPDATE, "first_chunk = all.end_chunk[r];", "first_chunk = 0;"),
    ("all rules keep what has no gradient", UPDATE, "!needs_dense_update(settings), runs", "true, runs"),
    ("what is refused stays refused", REPLICA, "  status_.clear(context_.stream());\n  throw detail::not_finite(", "  throw detail::not_finite("),
    ("steps that did not move count", REPLICA, "step_ -= 1 + begun_.num_queued();", ""),
    ("what is behind a refused step is still to come", REPLICA, "begun_.forget();", ""),
    ("what one replica refuses others do not hear of", REPLICA,
     "write_refusals(context_, status_.data(), gradient_.tail.data() + parameters_.tail.size());", ""),
    ("losses that others refuse pass", LAYERS, "if (refusals[0] != 0) status->outputs_not_finite = 1;", ""),
    ("gradients that others refuse pass", LAYERS, "if (!finite || refusals[1] != 0)", "if (!finite)"),
    ("a sum of gradients that is not finite passes", LAYERS, "if (!finite || refusals[1] != 0)", "if (refusals[1] != 0)"),
    ("of a sum of gradients the tail is not looked at", LAYERS, "i < first_size + tail_size; i +=", "i < first_size; i +="),
    ("a slice without rows has the loss of the step before", REPLICA, "clear_loss(context_, status_.data());", ""),
    ("a slice without rows has the gradient of the step before", REPLICA, "gradient_.clear(context_.stream());", ""),
    ("owners of other columns add nothing", REPLICA, "if (complete) complete({sums,", "if (false) complete({sums,"),
    ("a linear model has no other owners of columns", REPLICA, "tail_.has_one_output() && !complete) {", "tail_.has_one_output()) {"),
    ("numbers have the gradient of the column behind them", RUNS, "number_gradient += units;", "number_gradient += 0 * units;"),
    ("columns of numbers move twice", RUNS, "    begin = end;\n", "    begin = end - 1;\n"),
    ("sums of another launch refuse nothing", UPDATE, "some.has_sums = has_sums;", "some.has_sums = runs[0].sums != nullptr;"),
    ("a step is not waited for", BEGUN, "step.done.wait();", ""),
    ("steps have one place for their outcome", BEGUN, "statuses_.data() + (first_ + count_) % most;", "statuses_.data();"),
    ("the host is told before sums are looked at", UPDATE, "  const bool refused = is_refused(all, term_bits, status);\n  if (told != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *told = *status;",
     "  if (told != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *told = *status;\n  const bool refused = is_refused(all, term_bits, status);"),
    ("nobody is told where nothing moves", UPDATE, "if (chunks > 0 || runs.empty())", "if (chunks > 0)"),
    ("targets are brought as they are", STAGED, "to_outputs<float>(units_,", "to_outputs<float>({},"),
    ("predictions stay in the units of outputs", REPLICA, "to_predictions<float>(architecture().target_units,", "to_predictions<float>({},"),
    ("losses stay in the units of outputs", REPLICA, "architecture().target_units.squared(status.loss)", "status.loss"),
    ("codes that are lent are read before they are there", STAGED, "context_.stream().wait_for(lent_);", ""),
    ("codes that are lent are those of when they were prepared", STAGED, "  lender_ = lent.stream;\n",
     "  lender_ = lent.stream;\n  check(cudaStreamSynchronize(lent.stream), \"\");\n  lender_.reset();\n"),
    ("rows are turned before they have come", STAGED, "  context_.stream().wait_for(copied_);\n", ""),
    ("rows come while those before are turned", STAGED, "  context_.copy_stream().wait_for(used_);\n", ""),
    ("what staging had begun to copy when it failed goes on", STAGED,
     "    (void)cudaStreamSynchronize(context_.copy_stream().get());\n", ""),
    ("rows of a step that failed are replaced while they are read", STAGED, "  if (is_taken_) {", "  if (false) {"),
    ("rows are turned for the first step only", STAGED, "  slots.from = from;\n", "  slots.from = slots.num_slots == 0 ? from : nullptr;\n"),
    ("what was found out ahead is not asked for", REPLICA, "if (staged == nullptr || !staged->has_good_targets)", "if (staged == nullptr)"),
    ("rows that were prepared weigh nothing", REPLICA, "staging_.stage(rows, sum_of_weights(rows.weights, rows.num_rows))", "staging_.stage(rows)"),
    ("codes that are lent may change while they are read", STAGED, "if (lender_) check(cudaStreamWaitEvent", "if (false) check(cudaStreamWaitEvent"),
    ("numbers have the sums of the first", LAYERS, "numbers + slots[n].slot * stride", "numbers + slots[0].slot * stride"),
    ("sums of numbers lie side by side", LAYERS, "return by_column ? slots[n].shift : n;", "return n;"),
    ("a layer of one output has the sums of its inputs for a gradient", LAYERS, "return slots == nullptr ? numbers :", "return slots == nullptr ? nullptr :"),
    ("the gradient of a layer of one output is that of its input", TAIL, "column_sums_.compute_weighted(context_, values, deltas_[l].data()",
     "column_sums_.compute_weighted(context_, values, values_[l].data()"),
    ("pinned memory is given back while the device writes it", REPLICA, "    (void)cudaStreamSynchronize(stream->get());", "    (void)stream;"),
    ("the first mean has no room", REPLICA, "if (shape().shares_parameters) need.add", "if (false) need.add"),
    ("the last of an odd number of turns is not added up", BLOCK, "const unsigned kept = (left + 1) / 2;", "const unsigned kept = left / 2;"),
    ("turns are added up before all are there", BLOCK, "  scratch[threadIdx.x] = own;\n  __syncthreads();\n  for (unsigned left", "  scratch[threadIdx.x] = own;\n  for (unsigned left"),
    ("pairs of turns do not wait for each other", BLOCK, "    left = kept;\n    __syncthreads();\n", "    left = kept;\n"),
    ("a slice of many is left out", LAYERS, "slice < slices && unit < units; slice += turns", "slice + 1 < slices && unit < units; slice += turns"),
    ("only one of the rows in flight is added", LAYERS, "for (unsigned k = 0; k < sums_in_flight; ++k)\n        sum +=", "for (unsigned k = 0; k < 1; ++k)\n        sum +="),
    ("a group in which a call failed stays open", QUEUE, "      drop_group();\n", ""),
    ("others are told of a failure when the communicator is given up", CHANNEL,
     "  if (tell_others_ && tell", "  abort();\n  if (tell_others_ && tell"),
    ("who waits for memory is not cut off", CHANNEL,
     '  try {\n    received_.reserve(context, room, "what the ranks of a collective send");\n',
     '  {\n    const InUse waiting(is_in_use_);\n    received_.reserve(context, room, "what the ranks of a collective send");\n  }\n  try {\n'),
    ("who fails second does not say who was first", CHANNEL, "if (tell_others_) require_usable();", ""),
    ("who fails in a collective cuts itself off", TEAM, "      group_.when_failed(local_, {});  // this rank gives up by itself\n", ""),
    ("memory is taken while a collective is started", GATE, "return gate_.num_starting_ == 0 || gate_.is_given_up_;", "return true;"),
    ("a collective is started while memory is taken", GATE, "return gate_.num_in_memory_ == 0;", "return true;"),
]


# The tests of what a file does. Tests of whole trainings would notice too, but take longer.
TESTS = {
    HASH: "DeviceHash.*:MissingTexts*",
    TEXT: "DeviceHash.*",
    SLOTS: "DeviceEncoder*",
    PRODUCT: "SparseProduct*",
    GRADIENT: "FirstLayer*:ScatterBlocks.*",
    COLUMNS: "FirstLayer*:LinearPass*",
    TILES: "FirstLayer*:ScatterTiles*",
    SHARES: "TileShares.*:FirstLayer*",
    BLOCK: "ColumnSums*:LinearPass*:OutputPass*",
    FIXED: "FirstLayer*:UpdateOn*",
    LINEAR: "LinearPass*",
    OUTPUT: "OutputPass*",
    LOSSES: "LinearPass*:OutputPass*",
    TAIL: "CudaReplica*:BegunSteps*:StepCalls*",
    "src/network/cuda/tail.hpp": "CudaReplica*",
    UPDATE: "UpdateOn*",
    REPLICA: "BegunSteps*:CudaReplica*:ReplicaMemory.*:StrategiesOnDevice.AllRefuse*",
    LAYERS: "ColumnSums*:BegunSteps*:CudaReplica*",
    RUNS: "CudaReplica*",
    BEGUN: "BegunSteps*",
    HALVES: "HalfSums.*:FirstLayer*",
    HOST: "DeviceCollectives.*:StrategiesOnDevice.*",
    STAGED: "FirstLayer*:Staged*:DeviceCodes*:CudaReplicaTest.InUnits*:CudaReplicaTest.Rows*",
    GATE: "MemoryGate*",
    PLAN: "FirstLayer*",
    SUM: "PieceSums*:DeviceCollectives.*",
    PAIRS: "PieceSums*",
}
COLLECTIVES = "NcclHosts.*:DeviceCollectives.*:StrategiesOnDevice.Gpus*:NcclFailure.*:NcclStart.*"


def failing_tests(build, tests):
    """The names of the tests that fail or end the program; None if it does not build."""
    built = subprocess.run(["cmake", "--build", build, "--target", "simulated_cuda_tests", "-j", "2"], capture_output=True,
                           text=True, check=False)
    if built.returncode != 0:
        return None
    for order in ("forward", "shuffled:1"):
        command = [f"{build}/tests/cuda/simulated_cuda_tests", "--gtest_filter=" + tests, "--gtest_fail_fast"]
        try:
            done = subprocess.run(command, env={"WIDEHASH_SIMULATOR_ORDER": order, "PATH": "/usr/bin:/bin"}, text=True,
                                  errors="replace", capture_output=True, check=False, timeout=300)
        except subprocess.TimeoutExpired:
            return ["(no end)"]
        found = list(dict.fromkeys(re.findall(r"\[  FAILED  \] (\w+\.\w+)", done.stdout)))
        if not found and done.returncode != 0:
            found = [re.findall(r"\[ RUN      \] (\w+\.\w+)", done.stdout)[-1] + " (which ends)"]
        if found:
            return found
    return []


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    build, names = sys.argv[1], sys.argv[2:]
    survivors = 0
    for name, file, old, new in MUTATIONS:
        if names and not any(word in name for word in names):
            continue
        path = SOURCE / file
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            print(f"GONE      {name}: the text stands {text.count(old)} times in {file}", flush=True)
            survivors += 1
            continue
        path.write_text(text.replace(old, new), encoding="utf-8")
        try:
            found = failing_tests(build, TESTS.get(file, COLLECTIVES))
        finally:
            path.write_text(text, encoding="utf-8")
        if found is None:
            print(f"NO BUILD  {name}", flush=True)
            survivors += 1
        elif found:
            print(f"caught    {name}: {', '.join(found[:3])}", flush=True)
        else:
            print(f"SURVIVED  {name}", flush=True)
            survivors += 1
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
