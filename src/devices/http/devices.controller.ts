import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount, CurrentPhoneKey } from '../../auth/account-scope';
import type { PhoneKey } from '../../auth/phone-key';
import { PhoneKeyAllowed, VerificationRequired } from '../../auth/http/route-access.decorators';
import { PathId } from '../../common/http/requests/path-id.decorator';
import {
  ApiEndpoint,
  ApiData,
  ApiDataList,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../common/http/openapi-decorators';
import { DeviceLimitReached, DeviceNotFound, RegistrationsBusy, SerialTaken } from '../store/devices.errors';
import { DevicesService } from '../devices.service';
import { DeviceRequest } from './device.request';
import { DeviceResponse, toDeviceResponse } from './device.response';

@Controller('gateway/devices')
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Get()
  @ApiTags('Phones')
  @ApiEndpoint(
    'listDevices',
    'List the devices of the account',
    'Lists enabled and disabled devices with the values of their last heartbeat.',
  )
  @ApiDataList(DeviceResponse, 'The devices of the account, without deleted ones')
  async list(@CurrentAccount() account: AccountScope): Promise<DeviceResponse[]> {
    return (await this.devices.list(account)).map(toDeviceResponse);
  }

  @PhoneKeyAllowed('pairing')
  @Post()
  @VerificationRequired()
  @ApiTags('Phones')
  @ApiEndpoint(
    'registerDevice',
    'Register a phone',
    'A known phone updates its device instead, except for enabled. Missing fields are stored as unknown.',
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
  @ApiTags('Phones')
  @ApiEndpoint(
    'getDevice',
    'Read a device',
    'Returns the device with the values of its last heartbeat: battery, network, SIMs.',
  )
  @ApiData(DeviceResponse, 'The device')
  @ApiErrors(DeviceNotFound)
  async get(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') id: Types.ObjectId,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.get(account, id));
  }

  @PhoneKeyAllowed('pairing')
  @Patch(':id')
  @ApiTags('Phones')
  @ApiEndpoint(
    'updateDevice',
    'Update a device',
    'Updates only the fields sent. Empty strings, null (except of partsPerMinute: no limit) and, where zero has no ' +
      'meaning, zeros are ignored.',
  )
  @ApiJsonBody(DeviceRequest)
  @ApiData(DeviceResponse, 'The updated device')
  @ApiErrors(DeviceNotFound, SerialTaken, RegistrationsBusy)
  async update(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') id: Types.ObjectId,
    @Body() body: DeviceRequest,
    @CurrentPhoneKey() phoneKey: PhoneKey | undefined,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.update(account, id, body, phoneKey));
  }

  @Post(':id/set-default')
  @ApiTags('Phones')
  @ApiEndpoint(
    'setDefaultDevice',
    'Make a device the default',
    'Sends without a deviceId use the default device.',
  )
  @ApiData(DeviceResponse, 'The new default device')
  @ApiErrors(DeviceNotFound)
  @HttpCode(200)
  async setDefault(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') id: Types.ObjectId,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.setDefault(account, id));
  }
}
