"""Encrypts and decrypts JSON Web Encryption with joserfc and jwcrypto.

The argument is a file with a JSON object: {"cases": [{"library", "alg", "enc", "key", "message", "content"}]}

Decrypts `message` with the private key `key`, and encrypts `content` to it. Prints a list with {"decrypted", "encrypted"} or
{"error"} for each case.
"""

import json
import sys

from joserfc import jwe as joserfc_jwe
from joserfc.jwk import JWKRegistry
from jwcrypto import jwe as jwcrypto_jwe
from jwcrypto import jwk as jwcrypto_jwk


def joserfc(case):
    key = JWKRegistry.import_key(case["key"])
    registry = joserfc_jwe.JWERegistry(algorithms=[case["alg"], case["enc"]])
    decrypted = joserfc_jwe.decrypt_compact(case["message"], key, registry=registry).plaintext
    header = {"alg": case["alg"], "enc": case["enc"]}
    encrypted = joserfc_jwe.encrypt_compact(header, case["content"].encode(), key, registry=registry)
    return decrypted, encrypted


def jwcrypto(case):
    key = jwcrypto_jwk.JWK(**case["key"])
    names = [case["alg"], case["enc"]]
    message = jwcrypto_jwe.JWE(algs=names)
    message.deserialize(case["message"], key)
    answer = jwcrypto_jwe.JWE(case["content"].encode(), protected={"alg": case["alg"], "enc": case["enc"]}, algs=names)
    answer.add_recipient(key)
    return message.payload, answer.serialize(compact=True)


LIBRARIES = {"joserfc": joserfc, "jwcrypto": jwcrypto}


def result(case):
    try:
        decrypted, encrypted = LIBRARIES[case["library"]](case)
        return {"decrypted": decrypted.decode(), "encrypted": encrypted}
    except Exception as error:  # Each library has its own errors.
        return {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    print(json.dumps([result(case) for case in cases]))
