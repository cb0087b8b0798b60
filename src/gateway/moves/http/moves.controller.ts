import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { ValidationFailed } from '../../../common/errors';
import {
  ApiData,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import {
  DeviceDisabled,
  DeviceDraining,
  DeviceNotFound,
  DeviceNotPushable,
  PushTokenHeld,
} from '../../../devices/store/devices.errors';
import { TargetDeviceNotFound } from '../../routing/move.errors';
import { type MoveResult, WaitingMoves } from '../waiting-moves.service';
import { MoveRequest } from './move.request';
import { MoveResponse, toMoveResponse } from './move.response';

@ApiTags('Messages')
@Controller('gateway/messages')
export class MovesController {
  constructor(private readonly moves: WaitingMoves) {}

  @Post('move')
  @HttpCode(200)
  @ApiEndpoint(
    'moveMessages',
    'Move waiting messages to another phone',
    'Moves the messages with these ids, or all that wait for a phone. Only what was never handed over can be moved. The other phone chooses the SIM; messages of a pool leave it; scheduled and paused ones keep their time.',
  )
  @ApiJsonBody(MoveRequest)
  @ApiData(MoveResponse, 'What was moved, and why the rest was not')
  @ApiFieldError('messageIds', 'must be given, or fromDeviceId, not both')
  @ApiErrors(
    DeviceNotFound,
    TargetDeviceNotFound,
    DeviceDisabled,
    DeviceDraining,
    DeviceNotPushable,
    PushTokenHeld,
  )
  async move(@CurrentAccount() account: AccountScope, @Body() body: MoveRequest): Promise<MoveResponse> {
    return toMoveResponse(await this.moveAsAsked(account, body));
  }

  private moveAsAsked(
    account: AccountScope,
    { deviceId, messageIds, fromDeviceId }: MoveRequest,
  ): Promise<MoveResult> {
    const to = new Types.ObjectId(deviceId);
    if (messageIds && fromDeviceId === undefined) {
      const ids = messageIds.map((id) => new Types.ObjectId(id));
      return this.moves.moveMessages(account, ids, to);
    }
    if (fromDeviceId !== undefined && !messageIds)
      return this.moves.moveAll(account, new Types.ObjectId(fromDeviceId), to);
    throw ValidationFailed.of('messageIds', 'must be given, or fromDeviceId, not both');
  }
}
