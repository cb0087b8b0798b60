import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { parseId } from '../common/http/id.pipe';

export const TOKEN_LIFETIME_S = 30 * 24 * 3600;

/** What a dashboard token says of itself; whether it still opens the account is the account's to say. */
export interface TokenClaims {
  readonly user: Types.ObjectId;
  /** The account's token generation at the time: it moves on with every new password. */
  readonly generation: number;
  readonly expiresAt: Date;
}

/** Makes and reads the tokens people log in for. */
@Injectable()
export class DashboardTokens {
  constructor(
    private readonly jwt: JwtService,
    private readonly clock: Clock,
  ) {}

  /** @returns a token for 30 days. */
  issue(user: Types.ObjectId, generation: number): string {
    return this.jwt.sign({ sub: user.toHexString(), gen: generation, iat: this.nowSeconds() });
  }

  /** @returns null for anything but an unexpired token of ours. */
  read(token: string): TokenClaims | null {
    try {
      const { sub, gen, exp } = this.jwt.verify<Record<string, unknown>>(token, {
        clockTimestamp: this.nowSeconds(),
      });
      const user = typeof sub === 'string' ? parseId(sub) : null;
      if (!user || typeof gen !== 'number' || typeof exp !== 'number') return null;
      return { user, generation: gen, expiresAt: new Date(exp * 1_000) };
    } catch {
      return null;
    }
  }

  private nowSeconds(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }
}
