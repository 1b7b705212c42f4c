import { describe, expect, it } from '@jest/globals';
import { validateSchema } from '../../src/schema/custom/validate.js';

/** The values that kube-apiserver 1.36.3 accepts and rejects for each format. */
describe('string formats', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['x']],
    [
      'uri',
      ['http://a/b', '/p', 'mailto:x@y', 'http://[::1]:80/', '//h/p', '*', 'http://a/b#c d'],
      ['a', 'http://a:b/', '', 'http://a b/', 'http://a/%zz', 'http://a b', 'http://x%20y/', ':a'],
    ],
    ['email', ['a@b', 'A <a@b.c>', '"x y" <a@b>', '<a@b>', 'a@[1.2.3.4]', 'é@b'], ['a', 'a@b@c', 'a b@c', 'a@b.']],
    [
      'hostname',
      ['a', 'a.bc', 'a-b', 'localhost', 'a.b.com', '😀.com'],
      ['a_b', 'a-b-c', 'a.b', '-a', 'a.b-c', 'x.y1'],
    ],
    ['ipv4', ['1.2.3.4', '01.02.03.04', '::ffff:1.2.3.4'], ['1.2.3', '256.1.1.1', '::1']],
    [
      'ipv6',
      ['::1', '1:2:3:4:5:6:7:8', '::', '::ffff:1.2.3.4', '1:2:3:4:5:6:7::'],
      ['1::2::3', '1.2.3.4', '1:2:3:4:5:6:7', 'fe80::1%eth0', '12345::', '1:2:3:4:5:6:7:8::'],
    ],
    ['cidr', ['10.0.0.0/8', '::/0', '10.0.0.0/08'], ['10.0.0.0', '10.0.0.0/33', '::/129', 'x/8']],
    [
      'mac',
      ['00:11:22:33:44:55', '00-11-22-33-44-55', '0011.2233.4455', '00:11:22:33:44:55:66:77'],
      ['00:11:22', '0:1:2:3:4:5'],
    ],
    ['uuid', ['f47ac10b-58cc-4372-a567-0e02b2c3d479', 'F47AC10B58CC4372A5670E02B2C3D479'], ['x']],
    ['uuid3', ['f47ac10b-58cc-3372-a567-0e02b2c3d479'], ['f47ac10b-58cc-4372-a567-0e02b2c3d479']],
    ['uuid4', ['f47ac10b-58cc-4372-a567-0e02b2c3d479'], ['f47ac10b-58cc-4372-c567-0e02b2c3d479']],
    ['uuid5', ['f47ac10b-58cc-5372-a567-0e02b2c3d479'], ['f47ac10b-58cc-4372-a567-0e02b2c3d479']],
    ['isbn', ['0321751043', '978-0321751041'], ['1']],
    ['isbn10', ['0321751043', '080442957X'], ['0321751044']],
    ['isbn13', ['978-0321751041'], ['978-0321751042']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
    ['ssn', ['111-22-3333', '111 22 3333'], ['111223333']],
    ['hexcolor', ['#fff', 'fff'], ['#ffff']],
    ['rgbcolor', ['rgb(1,2,3)', 'rgb( 1 , 2 , 3 )'], ['rgb(1,2,256)', 'rgb(1,2)']],
    ['byte', ['YQ==', 'YWJj'], ['YQ=', '', 'YQ==\n', 'a b=']],
    ['password', ['x'], []],
    ['date', ['2024-02-29'], ['2023-02-29', '2024-1-1', 'x', '2024-02-29T00:00:00Z']],
    [
      'duration',
      ['1h', '1h30m', '22 ns', '3 days', '-1.5s', '0', '9999999999h', '5 dayz', '1µs'],
      ['x', '1', '1y', '1.5', 'µs'],
    ],
    [
      'date-time',
      ['2024-01-01T00:00:00Z', '2024-01-01t00:00:00.123z', '2024-01-01T00:00:00+01:00'],
      ['2024-01-01', '2024-01-01T24:00:00Z', '2024-01-01T00:00:00', 'x'],
    ],
    ['datetime', ['2024-01-01T00:00:00Z'], ['y']],
    ['k8s-short-name', ['a-b'], ['A', 'a.b', 'a'.repeat(64)]],
    ['k8s-long-name', ['a-b.c'], ['A', 'a..b', 'a'.repeat(254)]],
    ['unknown', ['x'], []],
    ['int32', ['x'], []],
  ])('the format %s accepts %j and rejects %j', (format, taken, refused) => {
    for (const text of [...taken, ...refused]) {
      const message = `Invalid value: ${JSON.stringify(text)}:  in body must be of type ${format}: ${JSON.stringify(text)}`;
      const errors = taken.includes(text) ? [] : [{ reason: 'FieldValueTypeInvalid', field: '<nil>', message }];

      expect({ text, errors: validateSchema({ type: 'string', format }, text).errors }).toEqual({ text, errors });
    }
  });
});
