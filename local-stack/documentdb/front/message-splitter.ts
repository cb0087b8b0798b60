const HEADER_BYTES = 16;
/** What `hello` announces, and a little for the header and the command around 48 MB of documents. */
const MAX_MESSAGE_BYTES = 48_000_000 + 64 * 1024;

/**
 * Cuts a socket's chunks into whole MongoDB wire messages.
 * A message is put together once, when its last chunk is there: adding every chunk to what came before would copy a
 * 48 MB message hundreds of times.
 */
export class MessageSplitter {
  private chunks: Buffer[] = [];
  private bytes = 0;

  /**
   * Takes the next chunk and returns the messages it completes, oldest first.
   * @param maxMessageBytes of a message that begins in this chunk or is not complete yet.
   * @throws RangeError when a header announces an impossible length; the connection cannot be read any further then.
   */
  push(chunk: Buffer, maxMessageBytes = MAX_MESSAGE_BYTES): Buffer[] {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    const messages: Buffer[] = [];
    for (;;) {
      const length = this.nextLength(maxMessageBytes);
      if (length === undefined || this.bytes < length) break;
      messages.push(this.take(length));
    }
    return messages;
  }

  private nextLength(maxMessageBytes: number): number | undefined {
    if (this.bytes < HEADER_BYTES) return undefined;
    const length = this.first(HEADER_BYTES).readInt32LE(0);
    if (length < HEADER_BYTES || length > maxMessageBytes) {
      throw new RangeError(`A wire message announced ${length} bytes.`);
    }
    return length;
  }

  /** The first chunk, made at least `length` bytes long. */
  private first(length: number): Buffer {
    const [head] = this.chunks;
    if (head !== undefined && head.length >= length) return head;
    const whole = Buffer.concat(this.chunks);
    this.chunks = [whole];
    return whole;
  }

  private take(length: number): Buffer {
    const whole = this.first(length);
    const rest = this.chunks.slice(1);
    this.chunks = whole.length > length ? [whole.subarray(length), ...rest] : rest;
    this.bytes -= length;
    return whole.subarray(0, length);
  }
}
