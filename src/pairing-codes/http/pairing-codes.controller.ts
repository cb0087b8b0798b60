import type { IncomingHttpHeaders } from 'node:http';
import { Body, Controller, Get, Headers, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { MAX_ACTIVE_KEYS } from '../../api-keys/api-keys.service';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import { TooManyApiKeys } from '../../auth/api-keys/api-key.errors';
import { ApiTooManyAttempts } from '../../auth/http/attempts.openapi';
import { ClientAddress } from '../../auth/http/client-address';
import { Public, SessionRequired, VerificationRequired } from '../../auth/http/route-access.decorators';
import {
  ApiData,
  ApiEndpoint,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../common/http/openapi-decorators';
import { PathId } from '../../common/http/requests/path-id.decorator';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { PhoneAddresses } from '../addresses/phone-addresses.service';
import { PairingCodeInvalid, PairingCodeNotFound } from '../pairing-code.errors';
import { PairingCodesService } from '../pairing-codes.service';
import { PhoneKeyPairing } from '../phone-key-pairing.service';
import { CreatePairingCodeRequest, RedeemPairingCodeRequest } from './pairing-codes.request';
import {
  NewPairingCodeResponse,
  PairingCodeRefusedResponse,
  PairingCodeResponse,
  RedeemedPairingCodeResponse,
  toNewPairingCodeResponse,
  toPairingCodeResponse,
} from './pairing-codes.response';

@ApiTags('Phones')
@Controller('auth/pairing-codes')
export class PairingCodesController {
  constructor(
    private readonly codes: PairingCodesService,
    private readonly phoneKeys: PhoneKeyPairing,
    private readonly addresses: PhoneAddresses,
  ) {}

  @SessionRequired()
  @VerificationRequired()
  @Post()
  @ApiEndpoint(
    'createPairingCode',
    'Create a pairing code',
    'Ten digits that a person types into the app within ten minutes, and the addresses that the app is given. A code ' +
      'pairs one phone. An account has at most 20 codes: a further one removes the oldest.',
  )
  @ApiJsonBody(CreatePairingCodeRequest)
  @ApiData(NewPairingCodeResponse, 'The code; it is shown only once', { status: 201 })
  @ApiFieldError('replaces', 'is not a valid id')
  @ApiErrors(DeviceNotFound)
  async create(
    @CurrentAccount() account: AccountScope,
    @Body() { replacedDevice }: CreatePairingCodeRequest,
    @Headers() headers: IncomingHttpHeaders,
  ): Promise<NewPairingCodeResponse> {
    const code = await this.codes.create(account, replacedDevice);
    return toNewPairingCodeResponse(code, this.addresses.list(headers));
  }

  @SessionRequired()
  @Get(':id')
  @ApiEndpoint(
    'getPairingCode',
    'Get the state of a pairing code',
    'Whether a phone has used it; it can be read until an hour after it has expired.',
  )
  @ApiData(PairingCodeResponse, 'The state of the code')
  @ApiErrors(PairingCodeNotFound)
  async progress(
    @CurrentAccount() account: AccountScope,
    @PathId('Id of the code') id: Types.ObjectId,
  ): Promise<PairingCodeResponse> {
    return toPairingCodeResponse(await this.codes.progress(account, id));
  }

  @Public()
  @Post('redemptions')
  @ApiEndpoint(
    'redeemPairingCode',
    'Pair a program that is a phone',
    'For the package messaging-gateway-phone: uses up a pairing code and answers with a phone key, with which it ' +
      'registers its device. The same request may be repeated within two minutes, until the device is registered; ' +
      'keys of earlier answers are then revoked.',
  )
  @ApiJsonBody(RedeemPairingCodeRequest)
  @ApiData(RedeemedPairingCodeResponse, 'The phone key', { status: 201 })
  @ApiFieldError('code', 'should not be empty')
  @ApiError(new PairingCodeInvalid(), { type: PairingCodeRefusedResponse })
  @ApiError(new TooManyApiKeys(MAX_ACTIVE_KEYS))
  @ApiTooManyAttempts()
  async redeem(
    @Body() { code, name }: RedeemPairingCodeRequest,
    @ClientAddress() address: string,
  ): Promise<RedeemedPairingCodeResponse> {
    return { apiKey: await this.phoneKeys.pair(code, name, address) };
  }
}
