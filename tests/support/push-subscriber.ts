/** The other end of web push in a test: keys, a subscription, and the decrypted messages. */
import { createDecipheriv, createECDH, createHmac, randomBytes } from 'node:crypto';

export interface PushMessage {
  readonly title: string;
  readonly body: string;
  readonly session: string;
  readonly ask: string | null;
  readonly actions: readonly { id: string; label: string }[];
  readonly url: string;
}

/** A browser that has subscribed: it decrypts messages like its own code would. */
export class PushSubscriber {
  readonly #ecdh = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  readonly endpoint: string;

  constructor(origin: string, name: string) {
    this.#ecdh.generateKeys();
    this.endpoint = `${origin}/push/${name}`;
  }

  get subscription(): object {
    const keys = { p256dh: this.#ecdh.getPublicKey('base64url'), auth: this.#auth.toString('base64url') };
    return { endpoint: this.endpoint, expirationTime: null, keys };
  }

  read(message: Buffer): PushMessage {
    const hmac = (key: Buffer, data: Buffer): Buffer => createHmac('sha256', key).update(data).digest();
    const bytes = (...parts: (string | Buffer)[]): Buffer =>
      Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    const sender = message.subarray(21, 86);
    const shared = hmac(this.#auth, this.#ecdh.computeSecret(sender));
    const key = hmac(shared, bytes('WebPush: info\0', this.#ecdh.getPublicKey(), sender, '\x01'));
    const secret = hmac(message.subarray(0, 16), key);
    const part = (name: string, size: number): Buffer =>
      hmac(secret, bytes(`Content-Encoding: ${name}\0\x01`)).subarray(0, size);
    const decipher = createDecipheriv('aes-128-gcm', part('aes128gcm', 16), part('nonce', 12));
    decipher.setAuthTag(message.subarray(-16));
    const text = Buffer.concat([decipher.update(message.subarray(86, -16)), decipher.final()]);
    return JSON.parse(text.subarray(0, -1).toString()) as PushMessage;
  }
}
