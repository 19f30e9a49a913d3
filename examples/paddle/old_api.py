"""Profiles by the old profiler's functions: from one call to another, and around a block. Prints the report and writes the result to /tmp/profile."""
import paddle
import proftui as profiler

paddle.enable_static()
data1 = paddle.full(shape=[1, 3, 8, 8], fill_value=0.5, dtype='float32')
data2 = paddle.full(shape=[1, 3, 5, 5], fill_value=0.5, dtype='float32')
out = paddle.crop(data1, shape=data2.shape)
exe = paddle.static.Executor(paddle.CPUPlace())
program = paddle.static.default_main_program()

for iter in range(10):
    if iter == 2:
        profiler.start_profiler(state='All', tracer_option='Default')
    if iter == 8:
        profiler.stop_profiler(sorted_key='total', profile_path='/tmp/profile')
    result = exe.run(program=program, fetch_list=[out])

with profiler.profiler('All', 'total') as prof:
    for i in range(10):
        result = exe.run(program=program, fetch_list=[out])
