import { isIP } from 'node:net';
import { Transform, Type } from 'class-transformer';
import { IsInt, IsString, Max, Min, ValidateBy } from 'class-validator';
import { Variable } from './environment';

/** Which proxies are believed when they say whom a request comes from: none, the last so many, or these networks. */
export type TrustedProxies = false | number | readonly string[];

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

function isNetwork(text: string): boolean {
  if (NAMED_NETWORKS.includes(text)) return true;
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  // A network of no bits is everybody: then anyone is who they say they are.
  return most > 0 && (bits === undefined || (Number(bits) >= 1 && Number(bits) <= most));
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
  /** 0 takes any free port. */
  @Variable('PORT')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65_535)
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
        'must be how many proxies stand in front (0 to 10), or their addresses with commas between them: ' +
        `IP addresses, CIDR ranges, ${NAMED_NETWORKS.join(', ')}`,
    },
  )
  readonly trustProxy: TrustedProxies = false;

  /** Origins of pages elsewhere that may call the API with a token in a header. */
  @Variable('CORS_ORIGINS')
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.split(',').map((origin) => origin.trim()) : value,
  )
  @ValidateBy(
    { name: 'areOrigins', validator: { validate: areOrigins } },
    { message: 'must be origins with commas between them, such as https://dashboard.example.com' },
  )
  readonly corsOrigins: readonly string[] = [];

  /** Requests a minute of one API key, or of one account's dashboards; 0 for any number. */
  @Variable('RATE_LIMIT_PER_KEY')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  readonly rateLimitPerKey: number = 6_000;

  /** Requests a minute of one network address that show no valid key or token; 0 for any number. */
  @Variable('RATE_LIMIT_PER_ADDRESS')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  readonly rateLimitPerAddress: number = 300;
}
