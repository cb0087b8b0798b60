import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** What a file is sent as: one of its encodings, or as it is. */
export interface FileVariant {
  readonly encoding: Encoding | undefined;
  /** A strong ETag, which differs between the encodings. */
  readonly etag: string;
  readonly bytes: Buffer;
}

export interface PreparedFile {
  readonly plain: FileVariant;
  /** Those that are smaller than the plain file. */
  readonly encoded: readonly FileVariant[];
}

/** Nearly as small as the highest quality, at a tenth of its time. */
const BROTLI_QUALITY = 9;

const COMPRESSORS: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/**
 * Prepares a file for being sent any number of times. Compressing runs outside the main thread.
 * @param encoded the file in encodings that exist already; without them they are made.
 */
export async function prepareFile(
  bytes: Buffer,
  encoded?: Partial<Record<Encoding, Buffer>>,
): Promise<PreparedFile> {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  const variants = await Promise.all(
    ENCODINGS.map(async (encoding) => {
      const compressed = encoded ? encoded[encoding] : await COMPRESSORS[encoding](bytes);
      return compressed && compressed.length < bytes.length
        ? [{ encoding, etag: `"${hash}-${encoding}"`, bytes: compressed }]
        : [];
    }),
  );
  return { plain: { encoding: undefined, etag: `"${hash}"`, bytes }, encoded: variants.flat() };
}

/** The best variant that the client accepts. @param acceptEncoding the header. */
export function chooseVariant({ plain, encoded }: PreparedFile, acceptEncoding = ''): FileVariant {
  const accepted = new Set(
    acceptEncoding
      .split(',')
      .map((text) =>
        text
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/),
      )
      .filter(([, weight = '']) => !/^q=0(\.0*)?$/.test(weight))
      .map(([name]) => name),
  );
  return encoded.find(({ encoding }) => accepted.has(encoding)) ?? plain;
}

/** Whether the client has the variant already. @param ifNoneMatch the header. */
export function isUnchanged({ etag }: FileVariant, ifNoneMatch = ''): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
