import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { Id, Time } from '../../common/http/fields';
import { SIGN_IN_METHODS, type SignInMethod } from './session.schema';
import { AccountResponse, toAccountResponse } from '../dto/account.response';
import type { SignedIn } from '../sign-in.service';
import type { SessionRecord } from './sessions.repository';

/** A session as its owner sees it. Its token is never shown again. */
export class SessionResponse {
  @Id('Session id')
  _id!: string;

  @ApiProperty({ type: Boolean, description: 'Whether this call was made with it' })
  current!: boolean;

  @ApiProperty({ enum: SIGN_IN_METHODS, description: 'How the person signed in' })
  method!: SignInMethod;

  @ApiProperty({
    type: String,
    description: 'The network address it was last used from; of an IPv6 address, its /64',
    example: '203.0.113.7',
  })
  lastUsedFrom!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The program it was last used with',
    example: 'Mozilla/5.0',
  })
  userAgent?: string;

  @Time('When it was last used, to the minute')
  lastUsedAt!: Date;

  @Time('When the person signed in')
  createdAt!: Date;

  @Time('When it ends by itself')
  expiresAt!: Date;
}

/** A session that was just opened. */
export class NewSessionResponse {
  @ApiPropertyOptional({
    type: String,
    description:
      'The token, sent as `authorization: Bearer`. Absent for a page of the service, which is given a cookie instead',
  })
  accessToken?: string;

  @ApiProperty({ type: SessionResponse, description: 'The session' })
  session!: SessionResponse;

  @ApiProperty({ type: AccountResponse, description: 'The account' })
  user!: AccountResponse;
}

/** @param accessToken undefined for who was given the cookie. */
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

/** Of an IPv6 address only the first four groups are stored. */
const networkOf = (address: string): string => (address.includes(':') ? `${address}::/64` : address);
