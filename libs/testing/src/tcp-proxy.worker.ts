import { parentPort, workerData } from 'node:worker_threads';
import { startTcpProxy } from './tcp-proxy';
import type { ProxyOrder } from './proxy-thread';

/** A proxy on a thread of its own: it says its port, and then each order that it has carried out. */
void startTcpProxy(Number(workerData)).then((proxy) => {
  parentPort?.on('message', ({ name, value }: ProxyOrder) => {
    proxy[name](value);
    parentPort?.postMessage(null);
  });
  parentPort?.postMessage(proxy.port);
});
