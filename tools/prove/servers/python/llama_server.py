"""llama.cpp's own server, from the wheel that has it built in. Usage: llama_server.py MODEL NAME PORT SLOTS [embeds|ranks]."""
import signal
import sys

import xllamacpp

model, name, port, slots, *kind = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {name}
params.port = int(port)
params.n_parallel = int(slots)
params.n_ctx = 4096 * int(slots)
params.endpoint_metrics = True
params.endpoint_slots = True
params.use_jinja = True
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.embedding = bool(kind)
if kind == ["ranks"]:
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK
elif kind:
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.sigwait([signal.SIGTERM, signal.SIGINT])
