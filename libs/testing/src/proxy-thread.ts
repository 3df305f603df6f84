import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** `value`: the port of those that lead elsewhere, how slow the link is to be in milliseconds. */
export interface ProxyOrder {
  name: 'aim' | 'aimNew' | 'cut' | 'freeze' | 'resume' | 'slow';
  value: number;
}

/**
 * Starts a forwarder that no work of this process holds up: what clients give up after a fraction of a second
 * is not lost to them by a proof that stands still for as long.
 */
export async function startProxyThread(targetPort: number): Promise<ProxyThread> {
  const file = JSON.stringify(join(__dirname, 'tcp-proxy.worker.ts'));
  const worker = new Worker(`require('tsx/cjs'); require(${file})`, { eval: true, workerData: targetPort });
  const [port] = (await once(worker, 'message')) as [number];
  return new ProxyThread(worker, port);
}

/**
 * A TcpProxy on a thread of its own. What it is told has happened when the promise resolves; it rejects where
 * the thread ends before.
 */
export class ProxyThread {
  /** Of orders that were not carried out yet, the oldest first. */
  private readonly waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  private isOver = false;

  constructor(
    private readonly worker: Worker,
    readonly port: number,
  ) {
    worker.on('message', () => this.waiting.shift()?.resolve());
    worker.on('exit', () => {
      this.isOver = true;
      for (const { reject } of this.waiting.splice(0)) reject(overError());
    });
  }

  /** Breaks every connection, and leads new ones to another port: an address that moves. */
  aim(port: number): Promise<void> {
    return this.tell('aim', port);
  }

  /** Leads new connections to another port, and leaves those that stand: a name that is looked up anew. */
  aimNew(port: number): Promise<void> {
    return this.tell('aimNew', port);
  }

  /** Connections stay open, but not a byte passes in either direction, until `resume`. */
  freeze(): Promise<void> {
    return this.tell('freeze');
  }

  /** Breaks every connection (what is under way is lost) and refuses new ones until `resume`. */
  cut(): Promise<void> {
    return this.tell('cut');
  }

  /** Every byte takes so much longer, in each direction, until `resume`. */
  slow(delayMs: number): Promise<void> {
    return this.tell('slow', delayMs);
  }

  resume(): Promise<void> {
    return this.tell('resume');
  }

  /** Breaks every connection. */
  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private tell(name: ProxyOrder['name'], value = 0): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.isOver) return reject(overError());
      this.waiting.push({ resolve, reject });
      this.worker.postMessage({ name, value } satisfies ProxyOrder);
    });
  }
}

function overError(): Error {
  return new Error('The thread of this proxy is over.');
}
