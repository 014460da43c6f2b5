/// Messages that the Python library joserfc 1.6.5 has encrypted.
extension EncryptionVector {
    static let joserfc: [EncryptionVector] = [
        EncryptionVector(
            name: "joserfc, RSA-OAEP and A128CBC-HS256",
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
                eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkExMjhDQkMtSFMyNTYifQ.p2CoXnDGjDbc2OEbp8JgCJ5jjcqW2uMUGDm-0HKHq\
                VfNG0rO7looOC2A0qyAsyqe0wq7uKtSibHfUACu1NB3KkbdMt_FPSdl-nQg57RaD4Elpic3C987VFi4WTtj2vTC2hR6CDswq\
                gofi4sACHvi5c5ErB8me2cWMNJYnAoGKzxG9WH596nwdE5DhLLrhS7ajRgpekVr0ELUbnddeDkiZqHa8KmGWUK7M3X3JFfiT\
                w2G8yT2sHPlU-9Bad5hKdr6r23rYoaSqwgSOLrwCrYZlZNHCgR4Atx2m0lSO_43jUdyGHO-5MYy-aVgCjmZN3x9s3VWSGx83\
                eNt8T2-haAMsw.PJRCXss7uEBwCuUEVlu6xw.ZH9uCiklLV0rpAd3nLtmDA.71Am8XB4AKMTAhGSbrW2Dw
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, RSA-OAEP-256 and A256GCM",
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
                eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMjU2R0NNIn0.RQekZbe4TwOZ-CSLfigujetrn6HxLRNSAyWSN8Zv7H4S\
                dMaM3asmWd7bnd4BefQvP8Y9eNZkxYBChHU1wv28QTWqca7yKyO7iSX-PNnaY0swpzFJ_ccv-Cod6fcFD0ul2IJHtFRE-Vrd\
                3CLwwRSGXfdKEPWWVpktio2O4_Waqfd7Up-UZPffHs1nq-z7dI8ChO0MFK-YrGNBCp3GOr3Klq1_1_3ScM7Imt6lKaMQcCMI\
                FxRPmjBL8iSeuTamfWyhQDpjI1tz-56MwYQL3njRtjaq5KFPA36v6egk1dMpe3zc6KXjUrjVs1W8tVwe6EDK7ckfITGWaXw_\
                C3VTAUJwEQ.QRbZTmfYzPuzCQse.W2jxAqiQHZib-ZnnOx-u.znUqmcu8Pq5Wl6weB-Ui8g
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, ECDH-ES and A192GCM",
            key: """
                {"crv":"P-256","x":"bXKcAcdecXGYPQUm6yuW_81sprD_hSFxOzxRF-XOwUc","y":"Iab9u8eN8Cnx2wEowFQJjV3kAe\
                T9M3WFQ8AWTu2ayFQ","d":"rodGNQR6wMSZsCUWs_dpqaQ8chHQ6Tdjqg96umGlA4Y","kty":"EC"}
                """,
            text: """
                eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTE5MkdDTSIsImVwayI6eyJjcnYiOiJQLTI1NiIsIngiOiJ5dFZkX0t6QzB2Q0Nr\
                ckhrRlhlY2dqaVdqZjA2UDhsSzB5LW9ydXdITzBnIiwieSI6ImpyTW44Wjd1SWNnVThVcklleEpSb1picGgyRGpLLVFabHF5\
                cFRKajBTQXciLCJrdHkiOiJFQyJ9fQ..zXf-hRNSH_ClZEGC.7gynCadloNlF7v1pIQcM.kg-a6AONfmO5lxQhOeTueA
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, ECDH-ES and A256CBC-HS512",
            key: """
                {"crv":"P-384","x":"ox7j7KWHWq-LgHXgDrjh4DN1_XUuWsfo5rfDXi7oD7c_uxWAgbsG3Oz-5ZIRC5h-","y":"BW_kr\
                AZfx9ClrdcW7UFZztjma-UKgcEOHqulPYMRmt8bWsCRycpUIX5TwzCCRCM0","d":"yTjaPErPP5Z5zjyTDufoPSd1IJC-Eb\
                nZZuNl6wPin4VTaDkshvhdrk3dFOp6cJCv","kty":"EC"}
                """,
            text: """
                eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkNCQy1IUzUxMiIsImVwayI6eyJjcnYiOiJQLTM4NCIsIngiOiJQY0hWbTNH\
                WkE3dlhFeEttVWplSUtLVTRhdXo4NlF6b3Nrc05uZURKNGs4Q0o5Snc1cWdHdTNCRzhGUUtwTUlLIiwieSI6Im54aUlacXJL\
                SDR3NWUzM2dIMjVueG41QW1Pd0YxdzBzdC12YkxPZjg4SWltd1AtLWN5MTZMVjBqbll3NlVTakMiLCJrdHkiOiJFQyJ9fQ..\
                -64Oft6WNcsMjuYSsgHICg.l9UtxNHw7O8Xzzh6ihzNDA.ftGpnFyUy0abOSDgyuGhGZ2lzR6Az0j0dcq7po1RyKU
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, ECDH-ES and A128GCM",
            key: """
                {"crv":"P-521","x":"AWldtnRgXtkolEIsL3XX-u7FH0dX5LutsuUUwByofFUOuW5fxmXv7zeNFXx5lWWoPZrFEuUyMvkG\
                RzRPCgJtzbCr","y":"AKAzBeRVzV9yoCZIoMoFdf2ZYdNh5G5xwEMCL5Kei_1kzE1qxzEeVylz6DvfnW6ry6bE8taER0LqU\
                4fNihXUi1JH","d":"Ae0ZDb4lznXgltgnuS7AVmgY7Le0mqvkJdGv7Ew8Jx6e30U8o_A-rq3XESxbsUYQ2GgtLSn7OqvGlM\
                6dEA0SmTQL","kty":"EC"}
                """,
            text: """
                eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTEyOEdDTSIsImVwayI6eyJjcnYiOiJQLTUyMSIsIngiOiJBQzFLUGtCLXhTM2R5\
                OUoxZ2UtNTMwSzg2OEExN05yNHp6c1dqTDFPZGdhbE10cW54UHZHVWFsbXdGamYyMUtrbVd6QnFzLUFiUEZzWkNLdVJ6Nk8x\
                Zm51IiwieSI6IkFMTEk4ZU4tZUlnU1BJNlNPR0QzbXF1S0pKLXlNRFJrVEtUMlp4VlVCVG9qV2R3WVROVmRCY1dBOUFjTlpt\
                RGNDcEVsc0lMRUEySDB2cUNqcndBU1k5OTgiLCJrdHkiOiJFQyJ9fQ..VElf7haWzxMvWjrl.Lx6CEqpkbnkE-dw0cgQ5.k3\
                bj1v34dsu6byfBvvaCTg
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, ECDH-ES and A256GCM",
            key: """
                {"crv":"X25519","x":"4zpl3s8yEmKCzuxk6bkBJQSdg4RltG2k8CEudqbWtlg","d":"mNwJwFau9G8bwiAQCxFxXyrcO\
                Bpi5FUC1ZhezNBnclw","kty":"OKP"}
                """,
            text: """
                eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSIsImVwayI6eyJjcnYiOiJYMjU1MTkiLCJ4IjoicWFDMnNaNURtRENU\
                dHhCaXR6d2Nqb0lyS2V2QnN4Rzg1MDJlUFBKNnZXayIsImt0eSI6Ik9LUCJ9fQ..zc5HhZoJtSxE6dMn.Trj7uoXZHi3qES7\
                36Qe4.GE4lT9pkLX0466qf5Ug4AA
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, ECDH-ES+A128KW and A192CBC-HS384",
            key: """
                {"crv":"X25519","x":"rTHNpu8Qq0flmo5YMlJzjSxo9_W8eVlz-E5r-cFuiyQ","d":"MIbtGdJBsvjWZ29h40anMZ5eX\
                vBPwaCUP5hfRwGfikg","kty":"OKP"}
                """,
            text: """
                eyJhbGciOiJFQ0RILUVTK0ExMjhLVyIsImVuYyI6IkExOTJDQkMtSFMzODQiLCJlcGsiOnsiY3J2IjoiWDI1NTE5IiwieCI6\
                IkNBU1lHUjJJTGJ4RVFjd2JuMmE2ZWNuelZzOE1FVGVZU1k5VWlnMEhiRnciLCJrdHkiOiJPS1AifX0._z1GR6y_I94GHaQQ\
                cL4BSz8gPy_qefkokoy8Ny7JU11lwBoT8l03OWIHRdI6_t4ep4MmGBqlE5Q.nmk8DhPiVrIM0vzcmH4HYw.I_6IKqzVpCH17\
                -QvHccVqg.datLk2kjwQDAOu8X4CvWoAAXbMyd2tcW
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, ECDH-ES+A192KW and A128GCM",
            key: """
                {"crv":"P-256","x":"JUt6LSTo5vC3tjdyLTaGMMA3DdTBGcmRbSTTT8-AXlA","y":"zznkGz2cAMjVtL9eEaWK50W3rp\
                V_aXb0f_lOer4GA6w","d":"D9njar6OoqclBlQkbyhW4JcS88LZ3p-XyV-ImXzmjPc","kty":"EC"}
                """,
            text: """
                eyJhbGciOiJFQ0RILUVTK0ExOTJLVyIsImVuYyI6IkExMjhHQ00iLCJlcGsiOnsiY3J2IjoiUC0yNTYiLCJ4IjoiRjE0MXRP\
                cnpyTXNsaTV4eHNwaW1lalg1U3JpZzlESHlSMDFtc0NiUWRidyIsInkiOiJtaGJIamJ5MjFGM1FMeHd2UVV4dzdZZUZ6eUlR\
                UUFsRE5Nb1E4aVVaU3l3Iiwia3R5IjoiRUMifX0.V6GVZ6LLcPv9eUO52vZNejug-AnKyfjl.DYNZcHKJZ_7oMc5b.HXTzOX\
                yndaBipmQG9PHg.aDaCu4IoZol2hJLtNKD2Og
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, ECDH-ES+A256KW and A256GCM",
            key: """
                {"crv":"P-521","x":"AECfdqq0D-YEYHx7JRrjE0WG1LBBXLoxa_3-Fh9ytLzijmXmde7D38GiU3Snx7_jhMbFwZoUjBVJ\
                NMRNwaX38JLS","y":"ANxMXsrDawKATKCrpLJwWFRci_AdGgES1w93fW4pffkxVyObvrgodv1V6g8TXNJKy6IWR1qAhh0lL\
                ecvISLTGcyp","d":"AZqf0IOPKb036EQ46RTuHDvVJCFc5v6xEQ-A8wj-DYjWHhV1k610DxY0S1nu6-XvPr-DCOxTwJd4xW\
                sq0GhoJlYm","kty":"EC"}
                """,
            text: """
                eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIsImVuYyI6IkEyNTZHQ00iLCJlcGsiOnsiY3J2IjoiUC01MjEiLCJ4IjoiQVRxU1dn\
                VDd4M1FGVHRZeDh3cVpRWkJCRjhjdXNFbzlzeVVEOW5xSkdHV25rdVVXVTNVc1FYazl5bG9qVG9BSDVsbTlzamw0MXBjeTJ2\
                a0NIeTE5bHI2biIsInkiOiJBVUtNcF91SEduZEdCMm9IbUpveDY5N3U3ZkYzSHBQb0RkOFY1dTFqX2NTZHd3NGpGWXJCOWxj\
                STBsQUV4WXpnM3BJeVBhbDVkYTlEc1JFSWlQUTFkZUNuIiwia3R5IjoiRUMifX0.KC-_6LjVUR1qRKRyX4bc43fyuLg0crjw\
                ZfDp9vPhRzkO3BbKwts0UQ.09njjsvMEzXpiIzm.QeNUpqYx7NlKgP6JoMgo.RGisuaLqQnxdg-6pTT89eQ
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, A192KW and A256GCM",
            key: """
                {"k":"PcktWMaYgvNJn7VqUmjcjLVGj3sqUf4R","kty":"oct"}
                """,
            text: """
                eyJhbGciOiJBMTkyS1ciLCJlbmMiOiJBMjU2R0NNIn0.2czMBkccsCVuaKDorTM-Xjf9WhyTlzF-rgYOBXNhxSROP_0wzLI5\
                5g.KksV69Jg0fWcAjnP.yMuiKKIjX2zilSObkPyU.EpdPmo8QxUZjApPC7ZyS3A
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, A256KW and A128CBC-HS256",
            key: """
                {"k":"xZRAbLMM2dQs584AwJZjxYb8S17t1WctNGsjGug-FFE","kty":"oct"}
                """,
            text: """
                eyJhbGciOiJBMjU2S1ciLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.y3mFP7BZ8zJ5gyozw29t2YuEPI9fjEFTfbV7uYpCnouT\
                6IPfVsA8lQ._u5k6fQ67u1X516qWGeynQ.DhD-GcjJ6ctssuxlpuu4zw.b9C8Pz8TG8YvbExLiuwzhA
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
        EncryptionVector(
            name: "joserfc, dir and A192GCM",
            key: """
                {"k":"PcktWMaYgvNJn7VqUmjcjLVGj3sqUf4R","kty":"oct"}
                """,
            text: """
                eyJhbGciOiJkaXIiLCJlbmMiOiJBMTkyR0NNIn0..OHoc3gAwK_Dj0ohC.d69AyabZorQsaRj4tXMw.Rikq2fI-k-Ptkpexp\
                2jrZA
                """,
            plaintext: """
                {"sub":"alice"}
                """
        ),
    ]
}
