import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A certificate and its key, both PEM, as a TLS server takes them. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

// As much of DER (X.690) as a certificate takes.

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const hex = (bytes: string): Buffer => Buffer.from(bytes, 'hex');
const ECDSA_WITH_SHA256 = der(SEQUENCE, hex('06082a8648ce3d040302'));
const COMMON_NAME = hex('0603550403');
const SUBJECT_ALT_NAME = hex('0603551d11');
const BASIC_CONSTRAINTS = hex('0603551d13');
const TRUE = hex('0101ff');

const nameOf = (text: string): Buffer =>
  der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(text)))));

const timeOf = (at: Date): Buffer =>
  der(GENERALIZED_TIME, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`));

const altNameOf = (host: string): Buffer =>
  isIP(host)
    ? der(IP_ADDRESS, Buffer.from(ipaddr.parse(host).toByteArray()))
    : der(DNS_NAME, Buffer.from(host));

interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signedWith: KeyObject;
  readonly expiresAt: Date;
  readonly extensions: readonly Buffer[];
}

function certificate(facts: CertificateFacts): string {
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, hex('02'))),
    der(INTEGER, hex('01'), randomBytes(8)),
    ECDSA_WITH_SHA256,
    nameOf(facts.issuer),
    der(SEQUENCE, timeOf(new Date('2020-01-01')), timeOf(facts.expiresAt)),
    nameOf(facts.subject),
    facts.publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, ...facts.extensions)),
  );
  const signature = der(BIT_STRING, hex('00'), sign('sha256', content, facts.signedWith));
  const whole = der(SEQUENCE, content, ECDSA_WITH_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${whole.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const altNames = (hosts: readonly string[]): Buffer =>
  der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, der(SEQUENCE, ...hosts.map(altNameOf))));

const LONG_FROM_NOW = new Date('2049-01-01');

/** A certificate authority that lives as long as the test. */
export class TestCa {
  private readonly keys = newKeys();
  private readonly name = `Test CA ${randomBytes(4).toString('hex')}`;

  /** PEM. */
  readonly cert = certificate({
    subject: this.name,
    issuer: this.name,
    publicKey: this.keys.publicKey,
    signedWith: this.keys.privateKey,
    expiresAt: LONG_FROM_NOW,
    extensions: [der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(OCTET_STRING, der(SEQUENCE, TRUE)))],
  });

  /** @param hosts names and IP addresses. */
  issue(hosts: readonly string[], expiresAt = LONG_FROM_NOW): Certified {
    const { publicKey, privateKey } = newKeys();
    const cert = certificate({
      subject: 'Test server',
      issuer: this.name,
      publicKey,
      signedWith: this.keys.privateKey,
      expiresAt,
      extensions: [altNames(hosts)],
    });
    return { cert, key: pemOf(privateKey) };
  }
}

/** A certificate nobody but its owner vouches for. */
export function selfSigned(hosts: readonly string[]): Certified {
  const { publicKey, privateKey } = newKeys();
  const cert = certificate({
    subject: 'Test server',
    issuer: 'Test server',
    publicKey,
    signedWith: privateKey,
    expiresAt: LONG_FROM_NOW,
    extensions: [altNames(hosts)],
  });
  return { cert, key: pemOf(privateKey) };
}
