import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { PairingCodesController } from './http/pairing-codes.controller';
import { PairingCodesModule } from './pairing-codes.module';

/** Routes of pairing codes. */
@Module({ imports: [AuthModule, PairingCodesModule], controllers: [PairingCodesController] })
export class PairingCodesHttpModule {}
