import net from 'node:net';
import { createInterface } from 'node:readline';
import { eventually } from './eventually';

export interface ReceivedMail {
  to: string[];
  text: string;
}

/** A mail server that takes everything and keeps it, on loopback. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** When set, connections are taken and never spoken to. */
  isSilent = false;
  /** Connections that were taken so. */
  kept = 0;

  private constructor(private readonly server: net.Server) {
    server.on('connection', (socket) => {
      this.talk(socket);
    });
  }

  static async start(): Promise<MailServer> {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new MailServer(server);
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The mail server is closed');
    return `smtp://127.0.0.1:${address.port}`;
  }

  /** The code of the mail to this address, on this subject, that follows the `after` there were before. */
  async codeFor(
    email: string,
    subject: 'Verify' | 'Reset' | 'Confirm' = 'Verify',
    after = 0,
  ): Promise<string> {
    const mails = await eventually(
      () => this.mailsTo(email, subject),
      (all) => all.length > after,
    );
    return /\bcode .*is ([0-9A-Z]{5}-[0-9A-Z]{5})\b/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
  }

  mailsTo(email: string, subject = ''): ReceivedMail[] {
    return this.mails.filter(({ to, text }) => to.includes(email) && text.includes(`Subject: ${subject}`));
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  private talk(socket: net.Socket): void {
    socket.on('error', () => undefined);
    if (this.isSilent) {
      this.kept++;
      return;
    }
    const say = (text: string) => socket.write(`${text}\r\n`);
    let mail: ReceivedMail = { to: [], text: '' };
    let isInData = false;
    say('220 test');
    createInterface({ input: socket }).on('line', (line) => {
      if (isInData) {
        isInData = line !== '.';
        if (isInData) mail.text += `${line}\n`;
        else {
          // Lines that were too long for a mail are whole again.
          this.mails.push({ ...mail, text: mail.text.replace(/=\n/g, '') });
          mail = { to: [], text: '' };
          say('250 taken');
        }
        return;
      }
      const recipient = /^RCPT TO:<(.+?)>/i.exec(line)?.[1];
      if (recipient) mail.to.push(recipient);
      isInData = /^DATA/i.test(line);
      if (isInData) say('354 go on');
      else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
      else say('250 yes');
    });
  }
}
