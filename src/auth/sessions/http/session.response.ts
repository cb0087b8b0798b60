import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { Id, Time } from '../../../common/http/responses/fields';
import { SIGN_IN_METHODS, type SignInMethod } from '../session.schema';
import { AccountResponse, toAccountResponse } from '../../accounts/http/account.response';
import type { SignedIn } from '../sign-in.service';
import type { SessionRecord } from '../sessions.repository';

/** A session without its token. */
export class SessionResponse {
  @Id('Session id')
  _id!: string;

  @ApiProperty({ description: 'Whether this call was made with this session' })
  current!: boolean;

  @ApiProperty({ enum: SIGN_IN_METHODS, description: 'How the person signed in' })
  method!: SignInMethod;

  @ApiProperty({
    description: 'The IP address it was last used from; for IPv6, the /64 network',
    example: '203.0.113.7',
  })
  lastUsedFrom!: string;

  @ApiPropertyOptional({ description: 'The user agent it was last used with', example: 'Mozilla/5.0' })
  userAgent?: string;

  @Time('When it was last used, to the minute')
  lastUsedAt!: Date;

  @Time('When the person signed in')
  createdAt!: Date;

  @Time('When it expires')
  expiresAt!: Date;
}

/** The session of the call. */
export class CurrentSessionResponse extends SessionResponse {
  @ApiProperty({
    description:
      'Whether the account has a password. The first one can be set without another in a session of a sign-in link',
  })
  accountHasPassword!: boolean;
}

export class NewSessionResponse {
  @ApiPropertyOptional({
    description:
      'The token, sent as `authorization: Bearer`. Absent for a page of the service, which gets a cookie instead',
  })
  accessToken?: string;

  @ApiProperty({ description: 'The session' })
  session!: SessionResponse;

  @ApiProperty({ description: 'The account' })
  user!: AccountResponse;
}

/** @param accessToken undefined if the token was set as a cookie. */
export function toNewSessionResponse(
  { session: { record }, profile }: SignedIn,
  accessToken: string | undefined,
): NewSessionResponse {
  return { accessToken, session: toSessionResponse(record, record._id), user: toAccountResponse(profile) };
}

export function toSessionResponse(session: SessionRecord, current: Types.ObjectId): SessionResponse {
  const { _id, method, lastUsedFrom, lastUsedAt, createdAt, expiresAt } = session;
  return {
    _id: _id.toHexString(),
    current: _id.equals(current),
    method,
    lastUsedFrom: networkOf(lastUsedFrom.address),
    userAgent: lastUsedFrom.userAgent,
    lastUsedAt,
    createdAt,
    expiresAt,
  };
}

/** Only the first four groups of an IPv6 address are stored. */
const networkOf = (address: string): string => (address.includes(':') ? `${address}::/64` : address);
