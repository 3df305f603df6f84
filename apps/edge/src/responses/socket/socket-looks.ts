import { EventLoopTurns } from '@tollgate/messaging';

/** So many are looked at in a turn of the event loop: a ping is a write, some hundredths of a millisecond. */
const mostLooks = 16;

/** Looks after the sockets that are open, in turns of the event loop: thousands at once would hold it up. */
export class SocketLooks {
  private readonly turns = new EventLoopTurns(mostLooks);
  private left = 0;

  constructor(private readonly sockets: { forEach(each: (socket: { look(): void }) => void): void }) {}

  /** Looks at each of them once; nothing, while some wait from the time before. */
  begin(): void {
    if (this.left > 0) return;
    this.sockets.forEach((socket) => {
      this.left += 1;
      this.turns.next(() => {
        this.left -= 1;
        socket.look();
      });
    });
  }
}
