import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A mail server that takes everything: https://www.rfc-editor.org/rfc/rfc5321. */
export class FakeSmtpServer {
  /** The mails that came, as they came. */
  readonly mails: string[] = [];
  /** Set, it refuses every recipient. */
  refuses = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeSmtpServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const smtp = new FakeSmtpServer(server);
    server.on('connection', (socket) => smtp.serve(socket));
    return smtp;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
  }

  private serve(socket: Socket): void {
    let text = '';
    let inData = false;
    socket.on('error', () => socket.destroy());
    socket.write('220 ready\r\n');
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (inData) {
        if (!text.endsWith('\r\n.\r\n')) return;
        this.mails.push(text);
        inData = false;
        socket.write('250 taken\r\n');
      } else {
        const [word = ''] = text.toUpperCase().split(/[\s:]/);
        inData = word === 'DATA';
        if (word === 'RCPT' && this.refuses) socket.write('450 not now\r\n');
        else socket.write(inData ? '354 go on\r\n' : word === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      }
      text = '';
    });
  }
}
