import { isIP } from 'node:net';
import { Transform } from 'class-transformer';
import { IsString, ValidateBy } from 'class-validator';
import { BooleanVariable, CommaSeparated, IntegerVariable, Variable } from '../environment';

/** Proxies whose X-Forwarded-For is trusted: none, the last n, or the proxies in these networks. */
export type TrustedProxies = false | number | readonly string[];

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

function isNetwork(text: string): boolean {
  if (NAMED_NETWORKS.includes(text)) return true;
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const maxBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  // A prefix of 0 bits would let every client choose its address.
  return maxBits > 0 && (bits === undefined || (Number(bits) >= 1 && Number(bits) <= maxBits));
}

function isTrustedProxies(value: unknown): boolean {
  if (typeof value === 'number') return value <= 10;
  if (value === false) return true;
  return Array.isArray(value) && value.every((network) => typeof network === 'string' && isNetwork(network));
}

function readTrustedProxies(text: string): TrustedProxies {
  if (/^\d{1,3}$/.test(text)) return Number(text) || false;
  return text.split(',').map((network) => network.trim());
}

function areOrigins(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string' && isOrigin(text));
}

const isOrigin = (text: string): boolean =>
  /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;

export class HttpConfig {
  /** 0 chooses a free port. */
  @IntegerVariable('PORT', 0, 65_535)
  readonly port: number = 3000;

  @Variable('HOST')
  @IsString()
  readonly host: string = '0.0.0.0';

  @Variable('TRUST_PROXY')
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? readTrustedProxies(value) : value,
  )
  @ValidateBy(
    { name: 'isTrustedProxies', validator: { validate: isTrustedProxies } },
    {
      message:
        'must be the number of trusted proxies (0 to 10), or their addresses, comma-separated: ' +
        `IP addresses, CIDR ranges, ${NAMED_NETWORKS.join(', ')}`,
    },
  )
  readonly trustProxy: TrustedProxies = false;

  /** Origins whose pages may call the API with a token in a header. */
  @Variable('CORS_ORIGINS')
  @CommaSeparated()
  @ValidateBy(
    { name: 'areOrigins', validator: { validate: areOrigins } },
    { message: 'must be origins with commas between them, such as https://dashboard.example.com' },
  )
  readonly corsOrigins: readonly string[] = [];

  /** Whether the dashboard is served at `/`. */
  @BooleanVariable('DASHBOARD')
  readonly dashboard: boolean = true;

  /** Requests per minute and API key, or per account's dashboard sessions; 0 disables the limit. */
  @IntegerVariable('RATE_LIMIT_PER_KEY', 0)
  readonly rateLimitPerKey: number = 6_000;

  /** Requests per minute and address without a valid key or token; 0 disables the limit. */
  @IntegerVariable('RATE_LIMIT_PER_ADDRESS', 0)
  readonly rateLimitPerAddress: number = 300;

  /** Open connections per process, including streams; further connections are closed immediately. */
  @IntegerVariable('MAX_CONNECTIONS', 10, 1_000_000)
  readonly maxConnections: number = 20_000;
}
