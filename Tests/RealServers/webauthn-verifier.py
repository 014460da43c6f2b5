"""Verifies the responses of an authenticator with py_webauthn.

The argument is a file with a JSON object:
{"origin", "relyingPartyID", "challenge", "requiresVerification", "registration", "assertions"}

The registration and each of the assertions are what a browser sends (WebAuthn, RegistrationResponseJSON and
AuthenticationResponseJSON). Prints the results as JSON: {"format", "verified", "counters"}, or {"error"}.
"""

import json
import sys

import webauthn
from webauthn.helpers import base64url_to_bytes
from webauthn.helpers.exceptions import InvalidAuthenticationResponse, InvalidRegistrationResponse


def verify(case):
    expected = {
        "expected_challenge": base64url_to_bytes(case["challenge"]),
        "expected_rp_id": case["relyingPartyID"],
        "expected_origin": case["origin"],
        "require_user_verification": case["requiresVerification"],
    }
    registration = webauthn.verify_registration_response(credential=case["registration"], **expected)
    counters = [registration.sign_count]
    for assertion in case["assertions"]:
        verified = webauthn.verify_authentication_response(
            credential=assertion,
            credential_public_key=registration.credential_public_key,
            credential_current_sign_count=counters[-1],
            **expected,
        )
        counters.append(verified.new_sign_count)
    return {"format": registration.fmt, "verified": registration.user_verified, "counters": counters}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        case = json.load(file)
    try:
        result = verify(case)
    except (InvalidAuthenticationResponse, InvalidRegistrationResponse) as error:
        result = {"error": str(error)}
    print(json.dumps(result))
