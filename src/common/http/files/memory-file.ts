import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseVariant, isUnchanged, type PreparedFile } from './prepared-file';

/** A file that is prepared at its first request and then sent from memory. */
export class MemoryFile {
  private prepared: Promise<PreparedFile> | undefined;

  /**
   * @param type the media type.
   * @param prepare called once, and again only after a failure.
   */
  constructor(
    private readonly type: string,
    private readonly cacheControl: string,
    private readonly prepare: () => Promise<PreparedFile>,
  ) {}

  /** Sends the file in an encoding that the client accepts, or 304 if the client has it. */
  async send({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const file = await this.read();
    const variant = chooseVariant(file, headers['accept-encoding']);
    void reply.headers({ etag: variant.etag, 'cache-control': this.cacheControl });
    if (file.encoded.length > 0) void reply.header('vary', 'accept-encoding');
    if (isUnchanged(variant, headers['if-none-match'])) return reply.code(304).send();
    if (variant.encoding) void reply.header('content-encoding', variant.encoding);
    return reply.type(this.type).send(variant.bytes);
  }

  private read(): Promise<PreparedFile> {
    this.prepared ??= this.prepare().catch((failure: unknown) => {
      this.prepared = undefined;
      throw failure;
    });
    return this.prepared;
  }
}
