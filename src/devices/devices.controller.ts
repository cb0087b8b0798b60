import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount, CurrentPhoneKey } from '../auth/account-scope';
import type { PhoneKey } from '../auth/phone-key';
import { PhoneKeyAllowed } from '../auth/phone-key-allowed';
import { ParseIdPipe } from '../common/http/id.pipe';
import {
  ApiAction,
  ApiData,
  ApiDataList,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiIdParam,
  ApiJsonBody,
} from '../common/http/openapi-decorators';
import { SuccessResponse } from '../common/http/success.response';
import { DeviceLimitReached, DeviceNotFound, RegistrationsBusy, SerialTaken } from './devices.errors';
import { DevicesService } from './devices.service';
import { DeviceRequest } from './dto/device.request';
import { DeviceResponse, toDeviceResponse } from './dto/device.response';
import { VerificationRequired } from '../auth/verification-required';

@Controller('gateway/devices')
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Get()
  @ApiTags('Gateway')
  @ApiAction(
    'listDevices',
    'List the devices of the account',
    'Enabled and disabled ones, each with what its last heartbeat reported.',
  )
  @ApiDataList(DeviceResponse, 'The devices of the account, those deleted left out')
  async list(@CurrentAccount() account: AccountScope): Promise<DeviceResponse[]> {
    return (await this.devices.list(account)).map(toDeviceResponse);
  }

  @PhoneKeyAllowed('pairing')
  @Post()
  @VerificationRequired()
  @ApiTags('Devices')
  @ApiAction(
    'registerDevice',
    'Register a phone',
    'A phone that registers again is the same device, refreshed but not switched on. Facts that are missing read unknown.',
  )
  @ApiJsonBody(DeviceRequest)
  @ApiData(DeviceResponse, 'The device', { status: 201 })
  @ApiFieldError('simInfo.sims', 'must be an array')
  @ApiError(new DeviceLimitReached(100))
  @ApiErrors(RegistrationsBusy)
  async register(
    @CurrentAccount() account: AccountScope,
    @Body() body: DeviceRequest,
    @CurrentPhoneKey() phoneKey: PhoneKey | undefined,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.register(account, body, phoneKey));
  }

  @Get(':id')
  @ApiTags('Gateway')
  @ApiAction('getDevice', 'Read a device', 'With what its last heartbeat reported: battery, network, SIMs.')
  @ApiIdParam('id', 'Device id')
  @ApiData(DeviceResponse, 'The device')
  @ApiErrors(DeviceNotFound)
  async get(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.get(account, id));
  }

  @PhoneKeyAllowed('pairing')
  @Patch(':id')
  @ApiTags('Devices')
  @ApiAction(
    'updateDevice',
    'Change a device',
    'Only the fields sent are changed; null, an empty text and, where it means nothing, a zero count as not sent.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiJsonBody(DeviceRequest)
  @ApiData(DeviceResponse, 'The device as it is now')
  @ApiErrors(DeviceNotFound, SerialTaken)
  async update(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: DeviceRequest,
    @CurrentPhoneKey() phoneKey: PhoneKey | undefined,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.change(account, id, body, phoneKey));
  }

  @Post(':id/set-default')
  @ApiTags('Devices')
  @ApiAction('setDefaultDevice', 'Make a device the default', 'Sends without a deviceId go out from it.')
  @ApiIdParam('id', 'Device id')
  @ApiData(DeviceResponse, 'The device, now the default')
  @ApiErrors(DeviceNotFound)
  @HttpCode(200)
  async setDefault(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.setDefault(account, id));
  }

  @Delete(':id')
  @ApiTags('Devices')
  @ApiAction(
    'deleteDevice',
    'Delete a device',
    'What it has sent and received still counts. A deleted phone that registers again gets a new id.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiData(SuccessResponse, 'The device is deleted')
  @ApiErrors(DeviceNotFound)
  async remove(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<SuccessResponse> {
    await this.devices.remove(account, id);
    return { success: true };
  }
}
