import Foundation

extension JourneyTrees {
    /// Returns the trees of the development configuration, by which the user `alice` can try each kind of sign-in.
    static func development() throws(GatewayError) -> JourneyTrees {
        try JourneyTrees(json: Data(text.utf8))
    }

    private static let text = """
        {
          "Login": {
            "start": "ask",
            "nodes": {
              "ask": {"type": "page", "stage": "UsernamePassword", "header": "Sign in", "nodes": [
                {"type": "username"}, {"type": "password"}
              ], "next": "check"},
              "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
            }
          },
          "LoginWithPush": {
            "start": "ask",
            "nodes": {
              "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
              "check": {"type": "check-password", "next": {"true": "choose", "false": "failure"}},
              "choose": {
                "type": "choice", "prompt": "How do you want to confirm?", "choices": ["Push message", "Number"],
                "next": {"Push message": "push", "Number": "number"}
              },
              "push": {"type": "push", "next": {
                "approved": "success", "denied": "failure", "timeout": "failure", "not-registered": "register"
              }},
              "number": {"type": "push", "kind": "challenge", "next": {
                "approved": "success", "denied": "failure", "timeout": "failure", "not-registered": "register"
              }},
              "register": {"type": "register-push", "next": {"success": "choose", "timeout": "failure"}}
            }
          },
          "OneTimePassword": {
            "start": "ask",
            "nodes": {
              "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
              "check": {"type": "check-password", "next": {"true": "otp", "false": "failure"}},
              "otp": {"type": "otp", "next": {"true": "success", "false": "otp", "not-registered": "register"}},
              "register": {"type": "register-otp", "next": "otp"}
            }
          },
          "RegisterPasskey": {
            "start": "ask",
            "nodes": {
              "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
              "check": {"type": "check-password", "next": {"true": "register", "false": "failure"}},
              "register": {"type": "register-passkey", "user-verification": "required", "next": {
                "success": "success", "failure": "failure", "error": "failure", "unsupported": "failure"
              }}
            }
          },
          "Passkey": {
            "start": "passkey",
            "nodes": {
              "passkey": {"type": "passkey", "user-verification": "required", "next": {
                "success": "success", "failure": "failure", "error": "failure", "unsupported": "failure",
                "no-device": "failure"
              }}
            }
          },
          "MagicLink": {
            "start": "ask",
            "nodes": {
              "ask": {"type": "username", "next": "link"},
              "link": {"type": "suspend", "next": "success"}
            }
          },
          "Registration": {
            "start": "account",
            "nodes": {
              "account": {"type": "page", "header": "Create an account", "nodes": [
                {"type": "create-username", "min-length": 3},
                {"type": "create-password", "min-length": 8, "digits": 1},
                {"type": "attributes", "attributes": [
                  {"name": "givenName", "prompt": "First name", "required": true},
                  {"name": "mail", "prompt": "Email address", "required": true, "email": true},
                  {"name": "age", "prompt": "Age", "kind": "number", "minimum": 13},
                  {"name": "newsletter", "prompt": "Send me news", "kind": "boolean"}
                ]}
              ], "next": "questions"},
              "questions": {"type": "questions", "questions": [
                "What was the name of your first pet?", "In which city were you born?"
              ], "next": "terms"},
              "terms": {"type": "terms", "version": "1.0", "terms": "Be kind.", "next": {
                "accepted": "create", "declined": "failure"
              }},
              "create": {"type": "create-user", "next": {"created": "success", "failed": "failure"}}
            }
          },
          "StepUp": {
            "start": "ask",
            "nodes": {
              "ask": {"type": "page", "header": "Confirm that it is you", "nodes": [{"type": "password"}], "next": "check"},
              "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
            }
          },
          "DeviceProfile": {
            "start": "profile",
            "nodes": {
              "profile": {"type": "device-profile", "next": {"collected": "ask", "invalid": "failure"}},
              "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
              "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
            }
          },
          "Waiting": {
            "start": "wait",
            "nodes": {
              "wait": {"type": "polling", "wait": 100, "polls": 3, "next": "ask"},
              "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
              "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
            }
          },
          "Failing": {
            "start": "failure-message",
            "nodes": {
              "failure-message": {
                "type": "failure", "message": "This account is closed.", "url": "https://example.com/closed"
              }
            }
          }
        }
        """
}
