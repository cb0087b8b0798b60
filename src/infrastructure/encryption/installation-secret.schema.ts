import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** A random secret of the installation, encrypted with the operator's keys. */
@Schema({ collection: 'installationsecrets', versionKey: false })
export class InstallationSecret {
  /** What it is for. */
  @Prop({ type: String })
  _id!: string;

  /** Encrypted for `_id`, see `SecretCipher`. */
  @Prop({ type: String })
  secret!: string;
}

export const InstallationSecretSchema = SchemaFactory.createForClass(InstallationSecret);
