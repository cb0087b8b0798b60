import net from 'node:net';
import { createInterface } from 'node:readline';
import tls from 'node:tls';
import type { CertificateWithKey } from './certificates';
import { eventually } from './eventually';

export interface ReceivedMail {
  to: string[];
  text: string;
}

/** An SMTP server that stores all mails. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** Accepts connections without responding. */
  isUnresponsive = false;
  /** Connections accepted while unresponsive. */
  ignoredConnections = 0;

  private constructor(private readonly server: net.Server) {
    server.on(this.isSecure ? 'secureConnection' : 'connection', (socket: net.Socket) => {
      this.handleConnection(socket);
    });
  }

  /** @param certificate for TLS (`smtps`). */
  static async start(certificate?: CertificateWithKey): Promise<MailServer> {
    const server = certificate ? tls.createServer({ ...certificate }) : net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new MailServer(server);
  }

  private get isSecure(): boolean {
    return this.server instanceof tls.Server;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The mail server is closed');
    return `${this.isSecure ? 'smtps' : 'smtp'}://127.0.0.1:${address.port}`;
  }

  /** Waits for a mail. @param after the number of earlier mails. @returns its code. */
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

  private handleConnection(socket: net.Socket): void {
    socket.on('error', () => undefined);
    if (this.isUnresponsive) {
      this.ignoredConnections++;
      return;
    }
    const writeLine = (text: string) => socket.write(`${text}\r\n`);
    let mail: ReceivedMail = { to: [], text: '' };
    let isInData = false;
    writeLine('220 test');
    createInterface({ input: socket }).on('line', (line) => {
      if (isInData) {
        isInData = line !== '.';
        if (isInData) mail.text += `${line}\n`;
        else {
          // Undo the soft line breaks of quoted-printable, which headers do not have.
          const [headers = '', ...body] = mail.text.split('\n\n');
          const text = [headers, body.join('\n\n').replace(/=\n/g, '')].join('\n\n');
          this.mails.push({ ...mail, text });
          mail = { to: [], text: '' };
          writeLine('250 OK');
        }
        return;
      }
      const recipient = /^RCPT TO:<(.+?)>/i.exec(line)?.[1];
      if (recipient) mail.to.push(recipient);
      isInData = /^DATA/i.test(line);
      if (isInData) writeLine('354 Start mail input');
      else if (/^QUIT/i.test(line)) socket.end('221 Bye\r\n');
      else writeLine('250 OK');
    });
  }
}
