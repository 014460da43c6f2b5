/// Texts that the Python library joserfc 1.6.5 has signed.
extension SignatureVector {
    static let joserfc: [SignatureVector] = [
        SignatureVector(
            name: "joserfc, HS256",
            key: """
                {"k":"ldWn7WR8c9Z6tZCH-IS3c6cneMKKp7AIHEua52P3vjc","kty":"oct"}
                """,
            text: """
                eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.rF3WVgqz4gNLyYTYa-3GT4pwd-Ov8PO9pND3fBcPtds
                """
        ),
        SignatureVector(
            name: "joserfc, HS384",
            key: """
                {"k":"u2Tyf_56McPTsbps2qEIb4SmBMHxhArAtlBkoU1e-YLDrtdK9UiSOGt_7SfgiVJk","kty":"oct"}
                """,
            text: """
                eyJhbGciOiJIUzM4NCJ9.eyJzdWIiOiJhbGljZSJ9.gf1eMjCeB2jx_Bl0f2xDt4J0ow_blc5GRfNDIKVzaOHfZvmMu9uJkg\
                oRRDjw-hTg
                """
        ),
        SignatureVector(
            name: "joserfc, HS512",
            key: """
                {"k":"7e5K_ReJ3RpRuUGRoa8yIng1IdvcMjImBV-2fMvp0ci5_eIjCGKpsLDbdDP4cfiDlXcpR9Lszj5FxV_AR0pO5w","k\
                ty":"oct"}
                """,
            text: """
                eyJhbGciOiJIUzUxMiJ9.eyJzdWIiOiJhbGljZSJ9.8wIi5b8q-18e3OtdGWtnY3a4fAJGQ2FG5A5_WvWWzZwshLrPMZN1zb\
                xkiZqk8v-BbCGcfS19RbgnSyrmkSAKyw
                """
        ),
        SignatureVector(
            name: "joserfc, RS256",
            key: """
                {"n":"2ruU119B02hXHTLgLetJegtUZP6x_bH0aJJF6Fj9EVs94ejmUH08NfSwtQa43I-YVJbR8qYt76zR9jFkTx5cGGqCTS\
                CCPbSV2COOnfSw_hjAuXzcAjzqgul8cZhR8buu3iud-6nlJWN37ZLbK28vMxtsA56xcDFoSTUkKXFe1HNpa-KrB8uV0nGohQ\
                Sm_eXsAAogMSqKqqY0rGPjIfL9doPdl53z89j_viTlSnoV9mI4lpESejQquHFNpdKBgjP-5pUX5ozJIyH8QhAYR4lUQe0dIo\
                uKEpbscTPtlOxOIoCxYaQ5eqHCrBXlOyYxP2YXW0G_tIBYnxjvx7o90Nr9Pw","e":"AQAB","d":"CoD54lJ8O5Xl97coOy\
                byiy5Sb1vTGf7li5oD9RGaQYRIrKRoXv13RT4KuFQUz4lZGYLOnTZBZszn853RQS1mOHPw7ZmTN48IUm35XM4nK7nuPgS9dK\
                Fj6kUic-Vf1gRwdCcoZIahmZHfwfm3QFbhWjUbEvIYIkOfzELa3t9HXFtXEyVAIUvcQOBpa6zrslvTC6gKE4q6Kix35a23wp\
                LsGuaF2wdP5xnSpBh_k3WYcmmk3D4WV6HlF47T_WArtbsMTyxLaQ0TAGLY-whdJXueHWwdy99-wTbztN0kHreK3TMneA8y63\
                jleJznhKgk9mLFA4QLkh8nkENRkHfzQNG_ZQ","p":"8LflEAQk37AquPLKNUXOkFT2uYtDj-Ctiz5p8p14PeeTGY_brEpx3\
                n6RqmcXd8MlRlewVL1R5fm7htXSydw_2en3oo3tWPyNtFRa1EsoAOaRLwevoABXnLC9xDOW2Du5n_N8W0Sl4XeifloKDm-rV\
                4ClLjS7V0RaEQxGN0abhfM","q":"6J5hlK3jrIsS-WEmlG4KT3D2feDg3LM5orTzyiCB9a3vcYRnRrhFMK7axVLrblRBhRs\
                otZJ1LtA0jzKumQ7IqdQ7vr5iWF_pRKTWXwSMFyxg1WQcoDjM9pZ11mwA8EagE9bz2dFnmJQQ6XT96EhekaC-q9BEaf7S8t5\
                Oua0TgoU","dp":"l0uNziY8otdP0tTOoPMSJIcyV2YffcPCb903rASrOYVeYFeZw007CpPUrByFlIFz4SVmL6yaWAhBhDrK\
                dJNZEnbKbUH1JtP9oJTQTdQ6_W3tXHjhOphceKBhdXrTWW8YeV8JDzgzZmXSHMYswewP7jxuFX-RLAVK8qIbU8yuHV8","dq\
                ":"hJBdw8ElEltfQMbgmY3sSkFx92KEQsHQgqzkkbfc2Al7fxGZWXAB3jCHdBRBHurdO-GyXWdNaJQ2n7SeU5NdP4s3UQhmO\
                z7NTNUzZYrN2xbrSDB5L8Wu6IfuN3ftQQC-kQ_af7MaepVG3gRR_mHfotYcUwWpN06FIOsXqjC8AZE","qi":"VgkpOba4_D\
                4cIEaYYvgb2fZM10u2SK3xdtyoLJPCtkSyMmTihYE7e54svJZsWvws6SaFtxq-GvzM6FQKykr9aDiqV33izmWPP6HQh_UnO8\
                JkwjUXEdbWgtkRFanlFwICOx7BWHOzyM3SxsQAtlW2eKcu27GA1JuQoEzsk6QtBi4","kty":"RSA"}
                """,
            text: """
                eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.Vxt3G-zrIH3z4mHc2uUIYm1Hz2vTK_C_S4qEmozNQzZfP9JDhwJBD9\
                AntqKrel5ePwGsRB3Qhchi0q4EzkLDXWDlGFiqFRz3QN9SRJidP0ZEjZV82Klu9MqIehCju-rsJ7lKgtGgFBRg_PLBT7ntLQ\
                TChXO1D2KM0zyTd4QCAFDbpUdeknh7TqEomrSvTF25_vA-eWycya6nq5alLSF8jntqMb6Q9uJYAWJapvmD8Q1tIc_2elMEjx\
                Ow4e501jz6YPRQyl3bWFMOSNNqkYCG8dGV5SKDfmTvLAwzHufqsyuzTxKX6_mK0p_gk5b4vGMzEfxj9HGukPm9U7x3NxPKjA
                """
        ),
        SignatureVector(
            name: "joserfc, RS384",
            key: """
                {"n":"2ruU119B02hXHTLgLetJegtUZP6x_bH0aJJF6Fj9EVs94ejmUH08NfSwtQa43I-YVJbR8qYt76zR9jFkTx5cGGqCTS\
                CCPbSV2COOnfSw_hjAuXzcAjzqgul8cZhR8buu3iud-6nlJWN37ZLbK28vMxtsA56xcDFoSTUkKXFe1HNpa-KrB8uV0nGohQ\
                Sm_eXsAAogMSqKqqY0rGPjIfL9doPdl53z89j_viTlSnoV9mI4lpESejQquHFNpdKBgjP-5pUX5ozJIyH8QhAYR4lUQe0dIo\
                uKEpbscTPtlOxOIoCxYaQ5eqHCrBXlOyYxP2YXW0G_tIBYnxjvx7o90Nr9Pw","e":"AQAB","d":"CoD54lJ8O5Xl97coOy\
                byiy5Sb1vTGf7li5oD9RGaQYRIrKRoXv13RT4KuFQUz4lZGYLOnTZBZszn853RQS1mOHPw7ZmTN48IUm35XM4nK7nuPgS9dK\
                Fj6kUic-Vf1gRwdCcoZIahmZHfwfm3QFbhWjUbEvIYIkOfzELa3t9HXFtXEyVAIUvcQOBpa6zrslvTC6gKE4q6Kix35a23wp\
                LsGuaF2wdP5xnSpBh_k3WYcmmk3D4WV6HlF47T_WArtbsMTyxLaQ0TAGLY-whdJXueHWwdy99-wTbztN0kHreK3TMneA8y63\
                jleJznhKgk9mLFA4QLkh8nkENRkHfzQNG_ZQ","p":"8LflEAQk37AquPLKNUXOkFT2uYtDj-Ctiz5p8p14PeeTGY_brEpx3\
                n6RqmcXd8MlRlewVL1R5fm7htXSydw_2en3oo3tWPyNtFRa1EsoAOaRLwevoABXnLC9xDOW2Du5n_N8W0Sl4XeifloKDm-rV\
                4ClLjS7V0RaEQxGN0abhfM","q":"6J5hlK3jrIsS-WEmlG4KT3D2feDg3LM5orTzyiCB9a3vcYRnRrhFMK7axVLrblRBhRs\
                otZJ1LtA0jzKumQ7IqdQ7vr5iWF_pRKTWXwSMFyxg1WQcoDjM9pZ11mwA8EagE9bz2dFnmJQQ6XT96EhekaC-q9BEaf7S8t5\
                Oua0TgoU","dp":"l0uNziY8otdP0tTOoPMSJIcyV2YffcPCb903rASrOYVeYFeZw007CpPUrByFlIFz4SVmL6yaWAhBhDrK\
                dJNZEnbKbUH1JtP9oJTQTdQ6_W3tXHjhOphceKBhdXrTWW8YeV8JDzgzZmXSHMYswewP7jxuFX-RLAVK8qIbU8yuHV8","dq\
                ":"hJBdw8ElEltfQMbgmY3sSkFx92KEQsHQgqzkkbfc2Al7fxGZWXAB3jCHdBRBHurdO-GyXWdNaJQ2n7SeU5NdP4s3UQhmO\
                z7NTNUzZYrN2xbrSDB5L8Wu6IfuN3ftQQC-kQ_af7MaepVG3gRR_mHfotYcUwWpN06FIOsXqjC8AZE","qi":"VgkpOba4_D\
                4cIEaYYvgb2fZM10u2SK3xdtyoLJPCtkSyMmTihYE7e54svJZsWvws6SaFtxq-GvzM6FQKykr9aDiqV33izmWPP6HQh_UnO8\
                JkwjUXEdbWgtkRFanlFwICOx7BWHOzyM3SxsQAtlW2eKcu27GA1JuQoEzsk6QtBi4","kty":"RSA"}
                """,
            text: """
                eyJhbGciOiJSUzM4NCJ9.eyJzdWIiOiJhbGljZSJ9.wp_0J8svDUL6YhUx69dw7FxSZrtehyeWPiLEtse_A0jHRtuKGLcts3\
                YJLpNkRZ4f-cwwVFdGBcsnU4xX_FOakYGcHkDSesTIzuXbhzwdDdbQRurv4i_zIvzxecwrD_O59bHLYiRI5JfdaHE-AV0tZe\
                EXYjXYoLt9hPKgWyF1yRMCv-iHdWA9hzkYsNfA3Qkq_V_pxDXKz3lEDbm2UO69XCcDIq2eXEv4PbcIV79PmHFgz9LwG3ps2s\
                mXe3OrJzJgOMGK-GIcHBrKnZmi7OoEoBuR-z533z3vlJyUf69Z4xSUzzE4XcHUkWfkw_iFcuXUchgPDs1ilR50wzPTJwcGCg
                """
        ),
        SignatureVector(
            name: "joserfc, RS512",
            key: """
                {"n":"2ruU119B02hXHTLgLetJegtUZP6x_bH0aJJF6Fj9EVs94ejmUH08NfSwtQa43I-YVJbR8qYt76zR9jFkTx5cGGqCTS\
                CCPbSV2COOnfSw_hjAuXzcAjzqgul8cZhR8buu3iud-6nlJWN37ZLbK28vMxtsA56xcDFoSTUkKXFe1HNpa-KrB8uV0nGohQ\
                Sm_eXsAAogMSqKqqY0rGPjIfL9doPdl53z89j_viTlSnoV9mI4lpESejQquHFNpdKBgjP-5pUX5ozJIyH8QhAYR4lUQe0dIo\
                uKEpbscTPtlOxOIoCxYaQ5eqHCrBXlOyYxP2YXW0G_tIBYnxjvx7o90Nr9Pw","e":"AQAB","d":"CoD54lJ8O5Xl97coOy\
                byiy5Sb1vTGf7li5oD9RGaQYRIrKRoXv13RT4KuFQUz4lZGYLOnTZBZszn853RQS1mOHPw7ZmTN48IUm35XM4nK7nuPgS9dK\
                Fj6kUic-Vf1gRwdCcoZIahmZHfwfm3QFbhWjUbEvIYIkOfzELa3t9HXFtXEyVAIUvcQOBpa6zrslvTC6gKE4q6Kix35a23wp\
                LsGuaF2wdP5xnSpBh_k3WYcmmk3D4WV6HlF47T_WArtbsMTyxLaQ0TAGLY-whdJXueHWwdy99-wTbztN0kHreK3TMneA8y63\
                jleJznhKgk9mLFA4QLkh8nkENRkHfzQNG_ZQ","p":"8LflEAQk37AquPLKNUXOkFT2uYtDj-Ctiz5p8p14PeeTGY_brEpx3\
                n6RqmcXd8MlRlewVL1R5fm7htXSydw_2en3oo3tWPyNtFRa1EsoAOaRLwevoABXnLC9xDOW2Du5n_N8W0Sl4XeifloKDm-rV\
                4ClLjS7V0RaEQxGN0abhfM","q":"6J5hlK3jrIsS-WEmlG4KT3D2feDg3LM5orTzyiCB9a3vcYRnRrhFMK7axVLrblRBhRs\
                otZJ1LtA0jzKumQ7IqdQ7vr5iWF_pRKTWXwSMFyxg1WQcoDjM9pZ11mwA8EagE9bz2dFnmJQQ6XT96EhekaC-q9BEaf7S8t5\
                Oua0TgoU","dp":"l0uNziY8otdP0tTOoPMSJIcyV2YffcPCb903rASrOYVeYFeZw007CpPUrByFlIFz4SVmL6yaWAhBhDrK\
                dJNZEnbKbUH1JtP9oJTQTdQ6_W3tXHjhOphceKBhdXrTWW8YeV8JDzgzZmXSHMYswewP7jxuFX-RLAVK8qIbU8yuHV8","dq\
                ":"hJBdw8ElEltfQMbgmY3sSkFx92KEQsHQgqzkkbfc2Al7fxGZWXAB3jCHdBRBHurdO-GyXWdNaJQ2n7SeU5NdP4s3UQhmO\
                z7NTNUzZYrN2xbrSDB5L8Wu6IfuN3ftQQC-kQ_af7MaepVG3gRR_mHfotYcUwWpN06FIOsXqjC8AZE","qi":"VgkpOba4_D\
                4cIEaYYvgb2fZM10u2SK3xdtyoLJPCtkSyMmTihYE7e54svJZsWvws6SaFtxq-GvzM6FQKykr9aDiqV33izmWPP6HQh_UnO8\
                JkwjUXEdbWgtkRFanlFwICOx7BWHOzyM3SxsQAtlW2eKcu27GA1JuQoEzsk6QtBi4","kty":"RSA"}
                """,
            text: """
                eyJhbGciOiJSUzUxMiJ9.eyJzdWIiOiJhbGljZSJ9.jt2cPKLZHnLOIVsXi06L_8VoqzB6DEG2dJVRYfafNpq8sh-p-b3jcP\
                Ld_c6q1No3dFGvQRibI31EdVOxJj1Fwi2KlavALHqLDwOpVa25uu3DGfw0QPjwj9sFzPWwjKeOsuf3ZalN-57PRUea4VUzlT\
                A5ijZhsPMBLy0IbwGUsqcZ5rr8BbU7TtfeI65E2e3pptTSHuczzAvb_5qzXkFvl9-XHsy1MUJBKnpxgqy8DShy8GI1nbzNXW\
                ZoMgnHGdw5mZ-fJ7b6S_moZpDu4ua1mJZoka5U-lS-8iCJjNDGVnYhLujsIPoOZJXVc7qhRGrt-_P4lfHCrkM_mMk1P7J3Lw
                """
        ),
        SignatureVector(
            name: "joserfc, PS256",
            key: """
                {"n":"2ruU119B02hXHTLgLetJegtUZP6x_bH0aJJF6Fj9EVs94ejmUH08NfSwtQa43I-YVJbR8qYt76zR9jFkTx5cGGqCTS\
                CCPbSV2COOnfSw_hjAuXzcAjzqgul8cZhR8buu3iud-6nlJWN37ZLbK28vMxtsA56xcDFoSTUkKXFe1HNpa-KrB8uV0nGohQ\
                Sm_eXsAAogMSqKqqY0rGPjIfL9doPdl53z89j_viTlSnoV9mI4lpESejQquHFNpdKBgjP-5pUX5ozJIyH8QhAYR4lUQe0dIo\
                uKEpbscTPtlOxOIoCxYaQ5eqHCrBXlOyYxP2YXW0G_tIBYnxjvx7o90Nr9Pw","e":"AQAB","d":"CoD54lJ8O5Xl97coOy\
                byiy5Sb1vTGf7li5oD9RGaQYRIrKRoXv13RT4KuFQUz4lZGYLOnTZBZszn853RQS1mOHPw7ZmTN48IUm35XM4nK7nuPgS9dK\
                Fj6kUic-Vf1gRwdCcoZIahmZHfwfm3QFbhWjUbEvIYIkOfzELa3t9HXFtXEyVAIUvcQOBpa6zrslvTC6gKE4q6Kix35a23wp\
                LsGuaF2wdP5xnSpBh_k3WYcmmk3D4WV6HlF47T_WArtbsMTyxLaQ0TAGLY-whdJXueHWwdy99-wTbztN0kHreK3TMneA8y63\
                jleJznhKgk9mLFA4QLkh8nkENRkHfzQNG_ZQ","p":"8LflEAQk37AquPLKNUXOkFT2uYtDj-Ctiz5p8p14PeeTGY_brEpx3\
                n6RqmcXd8MlRlewVL1R5fm7htXSydw_2en3oo3tWPyNtFRa1EsoAOaRLwevoABXnLC9xDOW2Du5n_N8W0Sl4XeifloKDm-rV\
                4ClLjS7V0RaEQxGN0abhfM","q":"6J5hlK3jrIsS-WEmlG4KT3D2feDg3LM5orTzyiCB9a3vcYRnRrhFMK7axVLrblRBhRs\
                otZJ1LtA0jzKumQ7IqdQ7vr5iWF_pRKTWXwSMFyxg1WQcoDjM9pZ11mwA8EagE9bz2dFnmJQQ6XT96EhekaC-q9BEaf7S8t5\
                Oua0TgoU","dp":"l0uNziY8otdP0tTOoPMSJIcyV2YffcPCb903rASrOYVeYFeZw007CpPUrByFlIFz4SVmL6yaWAhBhDrK\
                dJNZEnbKbUH1JtP9oJTQTdQ6_W3tXHjhOphceKBhdXrTWW8YeV8JDzgzZmXSHMYswewP7jxuFX-RLAVK8qIbU8yuHV8","dq\
                ":"hJBdw8ElEltfQMbgmY3sSkFx92KEQsHQgqzkkbfc2Al7fxGZWXAB3jCHdBRBHurdO-GyXWdNaJQ2n7SeU5NdP4s3UQhmO\
                z7NTNUzZYrN2xbrSDB5L8Wu6IfuN3ftQQC-kQ_af7MaepVG3gRR_mHfotYcUwWpN06FIOsXqjC8AZE","qi":"VgkpOba4_D\
                4cIEaYYvgb2fZM10u2SK3xdtyoLJPCtkSyMmTihYE7e54svJZsWvws6SaFtxq-GvzM6FQKykr9aDiqV33izmWPP6HQh_UnO8\
                JkwjUXEdbWgtkRFanlFwICOx7BWHOzyM3SxsQAtlW2eKcu27GA1JuQoEzsk6QtBi4","kty":"RSA"}
                """,
            text: """
                eyJhbGciOiJQUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.TbIJxgd3If5i4LdxTWK-KtE4KNkLL3uTp8kZH9b0yMbMltJEZ4xpLg\
                UJTFfVWwxFP4vUNa5RqVJL5Z-0CjvKqGtaSjVfD7KbmvTj7sptK0620PXc3j9-XPNXUZMK5CwQw_nXRXyAMKca6D5UqIBcLE\
                nq-cPOtDiBqBwWTjphlsNp1m0LDzN3Ca-i4LjAWABYcRQcuMKQN85gyEx148O4daQFGuf2rDZ84jKlGS9-ofPaSw559mAWxO\
                mZswIBoGXc3AW7q6RkER_PLGLZIdCqADxvc6z3vrnbNg-bnI1qsGi6Zc-dtCJSTyL0mKRQFEpqL4f68_BZ8kz1HQYOUoJvTw
                """
        ),
        SignatureVector(
            name: "joserfc, PS384",
            key: """
                {"n":"2ruU119B02hXHTLgLetJegtUZP6x_bH0aJJF6Fj9EVs94ejmUH08NfSwtQa43I-YVJbR8qYt76zR9jFkTx5cGGqCTS\
                CCPbSV2COOnfSw_hjAuXzcAjzqgul8cZhR8buu3iud-6nlJWN37ZLbK28vMxtsA56xcDFoSTUkKXFe1HNpa-KrB8uV0nGohQ\
                Sm_eXsAAogMSqKqqY0rGPjIfL9doPdl53z89j_viTlSnoV9mI4lpESejQquHFNpdKBgjP-5pUX5ozJIyH8QhAYR4lUQe0dIo\
                uKEpbscTPtlOxOIoCxYaQ5eqHCrBXlOyYxP2YXW0G_tIBYnxjvx7o90Nr9Pw","e":"AQAB","d":"CoD54lJ8O5Xl97coOy\
                byiy5Sb1vTGf7li5oD9RGaQYRIrKRoXv13RT4KuFQUz4lZGYLOnTZBZszn853RQS1mOHPw7ZmTN48IUm35XM4nK7nuPgS9dK\
                Fj6kUic-Vf1gRwdCcoZIahmZHfwfm3QFbhWjUbEvIYIkOfzELa3t9HXFtXEyVAIUvcQOBpa6zrslvTC6gKE4q6Kix35a23wp\
                LsGuaF2wdP5xnSpBh_k3WYcmmk3D4WV6HlF47T_WArtbsMTyxLaQ0TAGLY-whdJXueHWwdy99-wTbztN0kHreK3TMneA8y63\
                jleJznhKgk9mLFA4QLkh8nkENRkHfzQNG_ZQ","p":"8LflEAQk37AquPLKNUXOkFT2uYtDj-Ctiz5p8p14PeeTGY_brEpx3\
                n6RqmcXd8MlRlewVL1R5fm7htXSydw_2en3oo3tWPyNtFRa1EsoAOaRLwevoABXnLC9xDOW2Du5n_N8W0Sl4XeifloKDm-rV\
                4ClLjS7V0RaEQxGN0abhfM","q":"6J5hlK3jrIsS-WEmlG4KT3D2feDg3LM5orTzyiCB9a3vcYRnRrhFMK7axVLrblRBhRs\
                otZJ1LtA0jzKumQ7IqdQ7vr5iWF_pRKTWXwSMFyxg1WQcoDjM9pZ11mwA8EagE9bz2dFnmJQQ6XT96EhekaC-q9BEaf7S8t5\
                Oua0TgoU","dp":"l0uNziY8otdP0tTOoPMSJIcyV2YffcPCb903rASrOYVeYFeZw007CpPUrByFlIFz4SVmL6yaWAhBhDrK\
                dJNZEnbKbUH1JtP9oJTQTdQ6_W3tXHjhOphceKBhdXrTWW8YeV8JDzgzZmXSHMYswewP7jxuFX-RLAVK8qIbU8yuHV8","dq\
                ":"hJBdw8ElEltfQMbgmY3sSkFx92KEQsHQgqzkkbfc2Al7fxGZWXAB3jCHdBRBHurdO-GyXWdNaJQ2n7SeU5NdP4s3UQhmO\
                z7NTNUzZYrN2xbrSDB5L8Wu6IfuN3ftQQC-kQ_af7MaepVG3gRR_mHfotYcUwWpN06FIOsXqjC8AZE","qi":"VgkpOba4_D\
                4cIEaYYvgb2fZM10u2SK3xdtyoLJPCtkSyMmTihYE7e54svJZsWvws6SaFtxq-GvzM6FQKykr9aDiqV33izmWPP6HQh_UnO8\
                JkwjUXEdbWgtkRFanlFwICOx7BWHOzyM3SxsQAtlW2eKcu27GA1JuQoEzsk6QtBi4","kty":"RSA"}
                """,
            text: """
                eyJhbGciOiJQUzM4NCJ9.eyJzdWIiOiJhbGljZSJ9.zvae7MdOZQOp1wY1P-0QDTaz23tALSJQw4cq05BHAT3qrBFIqpoKIU\
                ce4DHI4HzNiFw37fIEkrYm8ND3AYMJSKRNFy0ABW3CHlD9W85lPT_mJhlfhWjJhtro6wbcAVqxzpdo8lHSNElQjAybANROud\
                8ERuDNUoUchgiCDk4UvYi1C8i2qJpvxcuv2QNJOdZ5pB8nib6H37g-IlWjm8EH-h_c1rPzFV6gIpep3k-Fow7kWN5FheONxj\
                BUASLWQOoyQZUU3Am2Ol_cCjjb20xWuTT5wUMmVYoYn0KH_7burGqb0t2gZZHTs1bCWDUETm0CujkVHEZHu_OtX3emEVIBMA
                """
        ),
        SignatureVector(
            name: "joserfc, PS512",
            key: """
                {"n":"2ruU119B02hXHTLgLetJegtUZP6x_bH0aJJF6Fj9EVs94ejmUH08NfSwtQa43I-YVJbR8qYt76zR9jFkTx5cGGqCTS\
                CCPbSV2COOnfSw_hjAuXzcAjzqgul8cZhR8buu3iud-6nlJWN37ZLbK28vMxtsA56xcDFoSTUkKXFe1HNpa-KrB8uV0nGohQ\
                Sm_eXsAAogMSqKqqY0rGPjIfL9doPdl53z89j_viTlSnoV9mI4lpESejQquHFNpdKBgjP-5pUX5ozJIyH8QhAYR4lUQe0dIo\
                uKEpbscTPtlOxOIoCxYaQ5eqHCrBXlOyYxP2YXW0G_tIBYnxjvx7o90Nr9Pw","e":"AQAB","d":"CoD54lJ8O5Xl97coOy\
                byiy5Sb1vTGf7li5oD9RGaQYRIrKRoXv13RT4KuFQUz4lZGYLOnTZBZszn853RQS1mOHPw7ZmTN48IUm35XM4nK7nuPgS9dK\
                Fj6kUic-Vf1gRwdCcoZIahmZHfwfm3QFbhWjUbEvIYIkOfzELa3t9HXFtXEyVAIUvcQOBpa6zrslvTC6gKE4q6Kix35a23wp\
                LsGuaF2wdP5xnSpBh_k3WYcmmk3D4WV6HlF47T_WArtbsMTyxLaQ0TAGLY-whdJXueHWwdy99-wTbztN0kHreK3TMneA8y63\
                jleJznhKgk9mLFA4QLkh8nkENRkHfzQNG_ZQ","p":"8LflEAQk37AquPLKNUXOkFT2uYtDj-Ctiz5p8p14PeeTGY_brEpx3\
                n6RqmcXd8MlRlewVL1R5fm7htXSydw_2en3oo3tWPyNtFRa1EsoAOaRLwevoABXnLC9xDOW2Du5n_N8W0Sl4XeifloKDm-rV\
                4ClLjS7V0RaEQxGN0abhfM","q":"6J5hlK3jrIsS-WEmlG4KT3D2feDg3LM5orTzyiCB9a3vcYRnRrhFMK7axVLrblRBhRs\
                otZJ1LtA0jzKumQ7IqdQ7vr5iWF_pRKTWXwSMFyxg1WQcoDjM9pZ11mwA8EagE9bz2dFnmJQQ6XT96EhekaC-q9BEaf7S8t5\
                Oua0TgoU","dp":"l0uNziY8otdP0tTOoPMSJIcyV2YffcPCb903rASrOYVeYFeZw007CpPUrByFlIFz4SVmL6yaWAhBhDrK\
                dJNZEnbKbUH1JtP9oJTQTdQ6_W3tXHjhOphceKBhdXrTWW8YeV8JDzgzZmXSHMYswewP7jxuFX-RLAVK8qIbU8yuHV8","dq\
                ":"hJBdw8ElEltfQMbgmY3sSkFx92KEQsHQgqzkkbfc2Al7fxGZWXAB3jCHdBRBHurdO-GyXWdNaJQ2n7SeU5NdP4s3UQhmO\
                z7NTNUzZYrN2xbrSDB5L8Wu6IfuN3ftQQC-kQ_af7MaepVG3gRR_mHfotYcUwWpN06FIOsXqjC8AZE","qi":"VgkpOba4_D\
                4cIEaYYvgb2fZM10u2SK3xdtyoLJPCtkSyMmTihYE7e54svJZsWvws6SaFtxq-GvzM6FQKykr9aDiqV33izmWPP6HQh_UnO8\
                JkwjUXEdbWgtkRFanlFwICOx7BWHOzyM3SxsQAtlW2eKcu27GA1JuQoEzsk6QtBi4","kty":"RSA"}
                """,
            text: """
                eyJhbGciOiJQUzUxMiJ9.eyJzdWIiOiJhbGljZSJ9.KXBfznTpDLSofS_yhuTpqEU6hJqW5-6UAxXoFupU4fEiuF8ZIVLsFw\
                UPEPYfVCl6hh5P0GrKLfhwsATVkPE-7rQvGNVxWmgD7xLi9AUP0ZLOIx9uPOkcIVHJz-fEezpMfKtDP0OJceB4KtC5hau0Eg\
                H_FxfDvYh-sqJ1CaL1Y_kcOXXlQt2xT-eRXd5fQ7xYMI5whVGV0KdFNCJ9E1Gd3_v8InbbGZHHeiOJVPtIorYrAYPiNiXvoY\
                9m5UGGoIivmI452MY-hxdttPHE94K9vD05E3J8UqK89cGDUUpRazVWuYzvzGrOrrgtvvvUouyhICw5BUoT3IPAlC7mRQAudQ
                """
        ),
        SignatureVector(
            name: "joserfc, ES256",
            key: """
                {"crv":"P-256","x":"4nSs75Z7tF_rHLsRxwugk8nG8ZiyoFVBj7WcN3I3tec","y":"ZLnIuJaFOJd4466PdUVkoJakpz\
                Jv55DWrscUvr2Ktck","d":"r9TO6nyCtgv9ElMzPeET6ybmcwlpIRBWOBIQJzT3D-U","kty":"EC"}
                """,
            text: """
                eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.KiTIbFhIe0Pzy6cm-JYr1M0YndGlOrpPLqJe0li6Q5Ww_2zENe8HEU\
                aulGxFihufrhnp60iKyeCOlxdcck-d6Q
                """
        ),
        SignatureVector(
            name: "joserfc, ES384",
            key: """
                {"crv":"P-384","x":"L7do5mkCtQ31rKNtpg6eL99v7nog33uUFtqc-6AhULtiZNTFkPf-kgTon1BanMDN","y":"QHABa\
                b96lEXiW36LXVegpi4ODU0WKI4Ixhm86nR4FyouFHppc3XkxoDDvUO-Z2RX","d":"f6i-K9dfgX5D-Cxz98WFXrkTWSk6Sb\
                gXkn81fFTMIB1g2zZ8NyvEmUsxGWup4J3I","kty":"EC"}
                """,
            text: """
                eyJhbGciOiJFUzM4NCJ9.eyJzdWIiOiJhbGljZSJ9.ZYtnBK96TxYOTJjFwktSmlY_mF1suHEFryj0wurVzSYFrvE9P38pJ1\
                igk-3SFlzhPULkAFzteqmyZxqim_6YPTqZvaMUVzpmPFIDZxgtIynidiwKkvTgwV87w_asj1bA
                """
        ),
        SignatureVector(
            name: "joserfc, ES512",
            key: """
                {"crv":"P-521","x":"Ab1CzPdUcTDC3smO9DCsYDmSTDOd2U2cANROlrtU72ulZyexHp0VP4HF_BXOa_bwy5J1Ef2malqb\
                mMm3Ww8auJdh","y":"AfQFCBJupG1NetaJPU8zKgKgj9JtIAyOqBpm6n2yZFYxhWg2iBsjxidfTlz0l6lGwHa14GrPdxIuI\
                B1TNG6-gjoE","d":"ABWeQmP6iEXzDL2PQoZU8o5WLdqYyHeFjO2MntzriJGKU9_D_Cd3kLICMaBH0MYjsj1p-iJRr4YLKS\
                mFl6rYITah","kty":"EC"}
                """,
            text: """
                eyJhbGciOiJFUzUxMiJ9.eyJzdWIiOiJhbGljZSJ9.ABohRJda_fxmrM3KkJvYiM-01B9RxiXt8xfsURCwJ8-GzDym3Iy8Pq\
                KO8RfdF3ieVv_EFO0N983vcNnNvpArwgFgAfiFLXWnCP4RETOkhhakXpN_bxlbSwk1glrRFE2RkHvgzcQkGaRbAno5dict-I\
                Scuu2J79QG2GSCjSFipmYUIJyg
                """
        ),
        SignatureVector(
            name: "joserfc, EdDSA",
            key: """
                {"crv":"Ed25519","x":"ROSLG6o0rtl9_Ki5eCtpDJqAMacB1S2e7GT1pywA1rc","d":"dRo_mJ3SA4TQUNrmmOU3UjM9\
                KIltrJvCZf-f9y4Raeo","kty":"OKP"}
                """,
            text: """
                eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbGljZSJ9.8SLnb23lLvUVjl2koCUb9L_xgk8Tuxn65G8cNCgwjJZ4i6kjHCq8wK\
                zOSCVp9hj4RlzIwtNgJBSrwKOcwWyMBA
                """
        ),
    ]
}
