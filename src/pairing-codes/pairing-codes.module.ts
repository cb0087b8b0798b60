import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { PhoneAddresses } from './addresses/phone-addresses.service';
import { PairingAttempts } from './pairing-attempts.service';
import { PairingCode, PairingCodeSchema } from './pairing-code.schema';
import { PairingCodesRepository } from './pairing-codes.repository';
import { PairingCodesService } from './pairing-codes.service';
import { PhoneKeyPairing } from './phone-key-pairing.service';

/** Codes by which phones join an account, and the addresses by which they reach the service. */
@Module({
  imports: [
    ApiKeysModule,
    AuthModule,
    DevicesModule,
    MongooseModule.forFeature([{ name: PairingCode.name, schema: PairingCodeSchema }]),
  ],
  providers: [PairingAttempts, PairingCodesRepository, PairingCodesService, PhoneAddresses, PhoneKeyPairing],
  exports: [PairingCodesService, PhoneAddresses, PhoneKeyPairing],
})
export class PairingCodesModule {}
