import { isIP } from 'node:net';
import { Transform } from 'class-transformer';
import { IsOptional, IsString, ValidateBy } from 'class-validator';
import { BooleanVariable, CommaSeparated, IntegerVariable, Variable } from '../environment/environment';
import { OWN_PATHS } from './own-paths';

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
  return Array.isArray(value) && value.every(isOrigin);
}

/** A path that the service does not serve something else at; empty is one too. */
export function isBasePath(value: unknown): boolean {
  if (typeof value !== 'string' || !/^(\/[\w.~-]+)*$/.test(value)) return false;
  const segments = value.toLowerCase().split('/').slice(1);
  return !segments.some((segment) => /^\.+$/.test(segment)) && !OWN_PATHS.includes(segments[0] ?? '');
}

const isOrigin = (text: unknown): boolean =>
  typeof text === 'string' &&
  /^https?:\/\//.test(text) &&
  URL.canParse(text) &&
  new URL(text).origin === text;

export class HttpConfig {
  /** 0 chooses a free port. */
  @IntegerVariable('PORT', 0, 65_535)
  readonly port: number = 3000;

  @Variable('HOST')
  @IsString()
  readonly host: string = '0.0.0.0';

  /** The path below which a proxy serves the service, such as `/sms`; empty at the root of its host. */
  @Variable('BASE_PATH')
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.replace(/\/+$/, '') : value,
  )
  @ValidateBy(
    { name: 'isBasePath', validator: { validate: isBasePath } },
    { message: `must be a path such as /sms, and not begin with ${OWN_PATHS.join(', ')}` },
  )
  readonly basePath: string = '';

  /** Where people reach the service, without its base path, for printed links; by default its address on this computer. */
  @Variable('PUBLIC_URL')
  @IsOptional()
  @ValidateBy(
    { name: 'isOrigin', validator: { validate: isOrigin } },
    { message: 'must be the address of the service without a path, such as https://sms.example.com' },
  )
  readonly publicUrl?: string;

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

  /** Open connections per process, including streams. */
  @IntegerVariable('MAX_CONNECTIONS', 10, 1_000_000)
  readonly maxConnections: number = 20_000;

  /** Open connections per process and address; half of MAX_CONNECTIONS by default. Trusted proxies are not limited. */
  @IntegerVariable('MAX_CONNECTIONS_PER_ADDRESS', 1, 1_000_000)
  @IsOptional()
  readonly maxConnectionsPerAddress?: number;
}
