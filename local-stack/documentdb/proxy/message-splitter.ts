const HEADER_BYTES = 16;
/** The `maxMessageSizeBytes` of `hello`, plus a header and a command. */
const MAX_MESSAGE_BYTES = 48_000_000 + 64 * 1024;

/**
 * Splits a stream of chunks into MongoDB wire messages. Joins the chunks of a message once, because appending each
 * chunk would copy a large message hundreds of times.
 */
export class MessageSplitter {
  private chunks: Buffer[] = [];
  private bytes = 0;

  /**
   * @param maxMessageBytes limit of incomplete messages and those that start in this chunk.
   * @returns the completed messages.
   * @throws RangeError for an invalid length; the connection is then unusable.
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
      throw new RangeError(`Invalid length of a wire message: ${length} bytes.`);
    }
    return length;
  }

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
